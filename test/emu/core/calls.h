// SPDX-License-Identifier: Apache-2.0
// The verbs calls that can be counted, charged and made to fail, by name and number. Constant data.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace polyrail::emu {

enum class Call : uint8_t {
  kGetDeviceList,
  kOpenDevice,
  kCloseDevice,
  kQueryDevice,
  kQueryPort,
  kQueryGid,
  kAllocPd,
  kDeallocPd,
  kRegMr,
  kRegDmabufMr,
  kDeregMr,
  kCreateCompChannel,
  kDestroyCompChannel,
  kCreateCq,
  kResizeCq,
  kDestroyCq,
  kCreateSrq,
  kModifySrq,
  kDestroySrq,
  kCreateQp,
  kModifyQp,
  kQueryQp,
  kDestroyQp,
  kCreateAh,
  kDestroyAh,
  kPostSend,
  kPostRecv,
  kPostSrqRecv,
  kPollCq,
  kReqNotifyCq,
  kGetCqEvent,
  kGetAsyncEvent
};

// ibv_reg_mr stands for ibv_reg_mr_iova and _iova2 too, ibv_create_cq and _qp for their _ex forms.
constexpr std::array<std::string_view, 32> kCallNames = {"ibv_get_device_list",
                                                         "ibv_open_device",
                                                         "ibv_close_device",
                                                         "ibv_query_device",
                                                         "ibv_query_port",
                                                         "ibv_query_gid",
                                                         "ibv_alloc_pd",
                                                         "ibv_dealloc_pd",
                                                         "ibv_reg_mr",
                                                         "ibv_reg_dmabuf_mr",
                                                         "ibv_dereg_mr",
                                                         "ibv_create_comp_channel",
                                                         "ibv_destroy_comp_channel",
                                                         "ibv_create_cq",
                                                         "ibv_resize_cq",
                                                         "ibv_destroy_cq",
                                                         "ibv_create_srq",
                                                         "ibv_modify_srq",
                                                         "ibv_destroy_srq",
                                                         "ibv_create_qp",
                                                         "ibv_modify_qp",
                                                         "ibv_query_qp",
                                                         "ibv_destroy_qp",
                                                         "ibv_create_ah",
                                                         "ibv_destroy_ah",
                                                         "ibv_post_send",
                                                         "ibv_post_recv",
                                                         "ibv_post_srq_recv",
                                                         "ibv_poll_cq",
                                                         "ibv_req_notify_cq",
                                                         "ibv_get_cq_event",
                                                         "ibv_get_async_event"};
static_assert(static_cast<size_t>(Call::kGetAsyncEvent) + 1 == kCallNames.size());

}  // namespace polyrail::emu
