// SPDX-License-Identifier: Apache-2.0
// Our side of the ABI table: what the compiler says of the types in common/nccl. ABI_TABLE names the rows: all of
// them, or those that a checkout of NCCL knows (./check-abi).
#pragma once

#include "common/nccl/net_abi.h"
#include "common/nccl/terms.h"
#include "common/nccl/tuner_abi.h"
#include "test/check-abi/layout.h"

#ifndef ABI_TABLE
#define ABI_TABLE "test/check-abi/table/all.inc"
#endif

namespace polyrail::abi {

inline Abi ours() {
  using namespace polyrail::nccl;
  Abi abi;
#define ABI_PICK(OURS, NCCL) OURS
#include "test/check-abi/rows.inc"
#undef ABI_PICK
  return abi;
}

}  // namespace polyrail::abi
