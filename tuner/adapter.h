// SPDX-License-Identifier: Apache-2.0
// What the adapters of all ABI versions share. Everything a tuner returns to NCCL is success: an error from init
// would fail the communicator, one from getCollInfo the collective (src/init.cc, src/enqueue.cc, 2.30.7). Pointers
// may be null wherever NCCL, or a library between it and us, could pass null.
#pragma once

#include "common/nccl/tuner_abi.h"
#include "tuner/communicator.h"

namespace polyrail {

inline constexpr char kTunerName[] = "polyrail";

// Up to ABI v4 NCCL says nothing of NVLink domains.
inline Shape makeShape(size_t ranks, size_t nodes, int abi, const nccl::NvlDomainInfoV5* nvl = nullptr) {
  Shape shape{ranks, nodes, std::nullopt, abi};
  if (nvl && nvl->nNvlDomains > 0 && nvl->minRanksPerNvlDomain > 0 && nvl->maxRanksPerNvlDomain > 0)
    shape.nvl = {static_cast<uint64_t>(nvl->nNvlDomains), static_cast<uint64_t>(nvl->minRanksPerNvlDomain),
                 static_cast<uint64_t>(nvl->maxRanksPerNvlDomain)};
  return shape;
}

inline nccl::Result openContext(void** context, const Shape& shape, nccl::LogFunction logger,
                                nccl::TunerConstantsV5* constants = nullptr, const char* off = nullptr) noexcept {
  if (context) *context = Communicator::open(shape, logger, constants, off);
  return nccl::Result::kSuccess;
}

inline nccl::Result closeContext(void* context) noexcept {
  Communicator::close(static_cast<Communicator*>(context));
  return nccl::Result::kSuccess;
}

// From ABI v3 on. The table comes as float**, but is one contiguous array.
inline nccl::Result collInfo(void* context, const Request& request, float** table, int algorithms, int protocols,
                             int* nChannels) noexcept {
  if (context)
    static_cast<Communicator*>(context)->onTable(request, {reinterpret_cast<float*>(table), algorithms, protocols},
                                                 nChannels);
  return nccl::Result::kSuccess;
}

// From ABI v4 on.
inline Registered registered(int regBuff) { return regBuff ? Registered::kYes : Registered::kNo; }

}  // namespace polyrail
