// SPDX-License-Identifier: Apache-2.0
#include "tuner/shared_policy.h"

#include <pthread.h>

#include <utility>
#include <vector>

#include "common/policy/policy_search.h"
#include "common/settings.h"

namespace polyrail {
namespace {

struct Compiled {
  Shape shape;
  std::weak_ptr<const Snapshot> snapshot;
};

struct State {
  std::shared_ptr<const LoadedPolicy> policy;
  std::vector<Compiled> compiled;
  int logDetail = 1;
};

// Constant-initialised and without destructors, so that loading and unloading the library run no code for them.
// Not std::mutex: its error path brings libstdc++'s error categories, which have a static constructor.
constinit pthread_mutex_t gMutex = PTHREAD_MUTEX_INITIALIZER;
constinit State* gState = nullptr;  // guarded by gMutex

class Lock {
 public:
  Lock() { pthread_mutex_lock(&gMutex); }
  ~Lock() { pthread_mutex_unlock(&gMutex); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

[[gnu::destructor]] void freeState() {
  const Lock lock;
  delete gState;
  gState = nullptr;
}

void warnOfPolicy(const Log& log, const std::string& reason) {
  log.warn("%s; NCCL's defaults are used", reason.c_str());
}

std::shared_ptr<const LoadedPolicy> loadPolicy(const Log& log) {
  const std::string path = policyPath();
  if (path.empty()) return nullptr;
  Result<LoadedPolicy> loaded = loadPolicyFile(path);
  if (loaded.ok()) return std::make_shared<const LoadedPolicy>(std::move(loaded).value());
  warnOfPolicy(log, loaded.message());
  return nullptr;
}

std::unique_ptr<State> firstState(const Log& log) {
  auto state = std::make_unique<State>();
  std::string problem;
  state->logDetail = static_cast<int>(readInteger(kSettingTunerLog, &problem));
  if (!problem.empty()) log.warn("%s", problem.c_str());
  state->policy = loadPolicy(log);
  return state;
}

std::shared_ptr<const Snapshot> findCompiled(const State& state, const Shape& shape) {
  for (const Compiled& c : state.compiled)
    if (c.shape == shape)
      if (std::shared_ptr<const Snapshot> alive = c.snapshot.lock()) return alive;
  return nullptr;
}

// A policy that one shape cannot be compiled for is given up for all, so that nothing is half in use.
std::shared_ptr<const Snapshot> compileFor(State& state, const Shape& shape, const Log& log) {
  Result<Snapshot> made = Snapshot::compile(state.policy->policy, shape);
  if (!made.ok()) {
    warnOfPolicy(log, state.policy->path + ": " + made.message());
    state.policy = nullptr;
    return nullptr;
  }
  auto snapshot = std::make_shared<const Snapshot>(std::move(made).value());
  state.compiled.push_back({shape, snapshot});
  return snapshot;
}

}  // namespace

SharedSnapshot shareSnapshot(const Shape& shape, const Log& log) {
  const Lock lock;
  if (!gState) gState = firstState(log).release();
  if (!gState->policy) return {};
  std::shared_ptr<const Snapshot> snapshot = findCompiled(*gState, shape);
  if (!snapshot) snapshot = compileFor(*gState, shape, log);
  return {gState->policy, snapshot};
}

void dropUnusedSnapshots() noexcept {
  const Lock lock;
  if (gState) std::erase_if(gState->compiled, [](const Compiled& c) { return c.snapshot.expired(); });
}

int logDetail() noexcept {
  const Lock lock;
  return gState ? gState->logDetail : 1;
}

}  // namespace polyrail
