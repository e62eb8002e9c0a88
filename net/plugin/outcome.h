// SPDX-License-Identifier: Apache-2.0
// From our outcomes to NCCL's results. Stateless.
#pragma once

#include "common/log.h"
#include "net/plugin/context.h"

namespace polyrail::net {

inline nccl::Result resultOf(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOk: return nccl::Result::kSuccess;
    case Outcome::kRemoteError: return nccl::Result::kRemoteError;
    case Outcome::kSystemError: return nccl::Result::kSystemError;
    case Outcome::kInvalidUsage: return nccl::Result::kInvalidUsage;
    case Outcome::kInternalError: break;
  }
  return nccl::Result::kInternalError;
}

// Says what went wrong, and gives the result.
inline nccl::Result said(const Log& log, const Verdict& verdict) {
  if (verdict.outcome != Outcome::kOk) log.warn("%s", verdict.why.c_str());
  return resultOf(verdict.outcome);
}

}  // namespace polyrail::net
