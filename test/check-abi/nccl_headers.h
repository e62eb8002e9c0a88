// SPDX-License-Identifier: Apache-2.0
// NCCL's own plugin headers, wherever the checkout at hand keeps them (NCCL 2.19 to 2.30: src/include, later also
// src/include/plugin). Its nccl.h is made by ./check-abi, and CUDA's headers are empty stand-ins made there too. The
// names at the end are ours, for structs that NCCL left without one.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "nccl.h"
#include "nccl_common.h"
#include "nccl_net.h"
#include "nccl_tuner.h"
#if __has_include("profiler/net_ib_v1.h")
#include "nccl_profiler.h"
#include "profiler/net_ib_v1.h"
#include "profiler/net_socket_v1.h"
using ncclProfilerNetIbDescr_v1_qp = decltype(ncclProfilerNetIbDescr_v1_t::qp);
using ncclProfilerNetSockDescr_v1_sock = decltype(ncclProfilerNetSockDescr_v1_t::sock);
#endif
