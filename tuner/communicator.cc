// SPDX-License-Identifier: Apache-2.0
#include "tuner/communicator.h"

#include <cinttypes>
#include <exception>
#include <new>

#include "common/plugin/ready_to_throw.h"
#include "tuner/constants.h"
#include "tuner/describe.h"
#include "tuner/shared_policy.h"

namespace polyrail {
namespace {

void logRules(const Log& log, const Policy& policy, const Snapshot& snapshot) {
  constexpr size_t kMaxLines = 200;
  size_t lines = 0;
  for (const Origin& origin : snapshot.fitting()) {
    if (lines++ == kMaxLines) break;
    log.info("%s", describe(policy, origin).c_str());
  }
  if (lines > kMaxLines) log.info("... and %zu rules more", snapshot.fitting().size() - kMaxLines);
}

}  // namespace

Communicator* Communicator::open(const Shape& shape, nccl::LogFunction logger, nccl::TunerConstantsV5* constants,
                                 const char* off) noexcept {
  const Log log(logger, "TUNER/polyrail", nccl::kLogInit | nccl::kLogTuning);
  if (!readyToThrow()) return nullptr;
  try {
    std::unique_ptr<Communicator> made(new Communicator(log));
    made->begin(shape, constants, off);
    return made.release();
  } catch (const std::exception& e) {
    log.warn("init: %s; NCCL's defaults are used for this communicator", e.what());
    return nullptr;
  }
}

void Communicator::close(Communicator* communicator) noexcept {
  if (!communicator) return;
  communicator->end();
  delete communicator;
  dropUnusedSnapshots();
}

void Communicator::begin(const Shape& shape, nccl::TunerConstantsV5* constants, const char* off) {
  const SharedSnapshot shared = shareSnapshot(shape, log_);
  logDetail_ = logDetail();
  const std::string place = describe(shape);
  if (!shared.snapshot && !off) off = shared.absent;
  if (off) {
    if (logDetail_ >= 1) log_.info("version %s, NCCL's defaults: %s; %s", POLYRAIL_VERSION, off, place.c_str());
    return;
  }
  const int overridden = constants ? applyConstants(shared.policy->policy.constants, *constants) : 0;
  snapshot_ = shared.snapshot;
  if (logDetail_ >= 1)
    log_.info("version %s, policy %.16s %s; %s; %zu rules fit, %d constants set", POLYRAIL_VERSION,
              shared.policy->digest.c_str(), shared.policy->path.c_str(), place.c_str(), snapshot_->fitting().size(),
              overridden);
  if (logDetail_ >= 2) logRules(log_, shared.policy->policy, *snapshot_);
}

void Communicator::end() const noexcept {
  if (!snapshot_ || logDetail_ < 1) return;
  log_.info("decided %" PRIu64 " calls, left to NCCL %" PRIu64 " without a rule, %" PRIu64
            " where it allowed no choice of the rule, %" PRIu64 " that it keeps off Ring",
            calls(Outcome::kDecided), calls(Outcome::kNoRule), calls(Outcome::kNotAllowed), calls(Outcome::kGuarded));
}

}  // namespace polyrail
