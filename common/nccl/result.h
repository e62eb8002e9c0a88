// SPDX-License-Identifier: Apache-2.0
// What every NCCL plugin ABI shares: result codes, the log callback and its levels. Values as in NCCL's public
// nccl.h and src/include/nccl_common.h; binary layout is pinned by test/unit/nccl-abi.
#pragma once

namespace polyrail::nccl {

enum class Result : int {  // ncclResult_t
  kSuccess = 0,
  kUnhandledCudaError = 1,
  kSystemError = 2,
  kInternalError = 3,
  kInvalidArgument = 4,
  kInvalidUsage = 5,
  kRemoteError = 6,
  kInProgress = 7,
  kTimeout = 8,
};

enum class LogLevel : int { kNone = 0, kVersion = 1, kWarn = 2, kInfo = 3, kAbort = 4, kTrace = 5 };

// Subsystem bits of the log callback's `flags`.
enum LogSubsystem : unsigned long {
  kLogInit = 0x1,
  kLogColl = 0x2,
  kLogP2p = 0x4,
  kLogShm = 0x8,
  kLogNet = 0x10,
  kLogGraph = 0x20,
  kLogTuning = 0x40,
  kLogEnv = 0x80,
  kLogAll = ~0UL,
};

// ncclDebugLogger_t. May be null; NCCL does not say that it will not be. Thread-safe on NCCL's side.
using LogFunction = void (*)(LogLevel level, unsigned long flags, const char* file, int line, const char* format,
                             ...);

}  // namespace polyrail::nccl
