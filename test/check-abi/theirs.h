// SPDX-License-Identifier: Apache-2.0
// NCCL's side of the ABI table, read from NCCL's own headers. REQUIRES: ABI_TABLE holds only rows that they know.
#pragma once

#include "test/check-abi/layout.h"
#include "test/check-abi/nccl_headers.h"

namespace polyrail::abi {

inline Abi theirs() {
  Abi abi;
#define ABI_PICK(OURS, NCCL) NCCL
#include "test/check-abi/rows.inc"
#undef ABI_PICK
  return abi;
}

}  // namespace polyrail::abi
