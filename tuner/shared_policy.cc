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
  bool isImpossible = false;
};

struct State {
  std::shared_ptr<const LoadedPolicy> policy;
  const char* absent = nullptr;  // why there is none
  std::vector<Compiled> compiled;
  int logDetail = 1;
  bool hasWarned = false;  // of a shape that the policy cannot be compiled for
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

void loadPolicy(State& state, const Log& log) {
  const std::string path = policyPath();
  state.absent = "no policy";
  if (path.empty()) return;
  Result<LoadedPolicy> loaded = loadPolicyFile(path);
  if (loaded.ok()) {
    state.policy = std::make_shared<const LoadedPolicy>(std::move(loaded).value());
    return;
  }
  state.absent = "the policy is unusable";
  warnOfPolicy(log, loaded.message());
}

std::unique_ptr<State> firstState(const Log& log) {
  auto state = std::make_unique<State>();
  std::string problem;
  state->logDetail = static_cast<int>(readInteger(kSettingTunerLog, &problem));
  if (!problem.empty()) log.warn("%s", problem.c_str());
  loadPolicy(*state, log);
  return state;
}

Compiled& entryFor(State& state, const Shape& shape) {
  for (Compiled& c : state.compiled)
    if (c.shape == shape) return c;
  return state.compiled.emplace_back(Compiled{shape, {}, false});
}

// What one shape cannot be compiled for is still used for others: whether it is must not depend on which other
// communicators this rank happens to be in.
std::shared_ptr<const Snapshot> compiledFor(State& state, const Shape& shape, const Log& log) {
  Compiled& entry = entryFor(state, shape);
  if (std::shared_ptr<const Snapshot> alive = entry.snapshot.lock(); alive || entry.isImpossible) return alive;
  Result<Snapshot> made = Snapshot::compile(state.policy->policy, shape);
  if (made.ok()) {
    auto snapshot = std::make_shared<const Snapshot>(std::move(made).value());
    entry.snapshot = snapshot;
    return snapshot;
  }
  entry.isImpossible = true;
  if (!state.hasWarned) warnOfPolicy(log, state.policy->path + ": " + made.message());
  state.hasWarned = true;
  return nullptr;
}

}  // namespace

SharedSnapshot shareSnapshot(const Shape& shape, const Log& log) {
  const Lock lock;
  if (!gState) gState = firstState(log).release();
  if (!gState->policy) return {nullptr, nullptr, gState->absent};
  return {gState->policy, compiledFor(*gState, shape, log), "the policy is unusable for this shape"};
}

void dropUnusedSnapshots() noexcept {
  const Lock lock;
  const auto isUnused = [](const Compiled& c) { return c.snapshot.expired() && !c.isImpossible; };
  if (gState) std::erase_if(gState->compiled, isUnused);
}

int logDetail() noexcept {
  const Lock lock;
  return gState ? gState->logDetail : 1;
}

}  // namespace polyrail
