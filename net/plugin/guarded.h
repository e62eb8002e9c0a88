// SPDX-License-Identifier: Apache-2.0
// The border that no exception crosses. Stateless.
#pragma once

#include <exception>

#include "common/nccl/result.h"
#include "common/plugin/ready_to_throw.h"

namespace polyrail::net {

// `body` gives a result; what it throws (no memory is all that is thrown here) becomes a system error. For calls that
// may allocate; the data path throws nothing and does without.
template <typename Body>
nccl::Result guarded(Body&& body) noexcept {
  if (!readyToThrow()) return nccl::Result::kSystemError;
  try {
    return body();
  } catch (const std::exception&) {
    return nccl::Result::kSystemError;
  }
}

}  // namespace polyrail::net
