// SPDX-License-Identifier: Apache-2.0
// The emulator as the table through which the net plugin calls verbs: what tests in virtual time hand it instead of
// a library opened with dlopen. A plain value; link libemu.a.
#pragma once

#include "net/verbs/verbs.h"

namespace polyrail::emu {

inline net::Verbs emulatedVerbs() {
  net::Verbs v{};
  v.getDeviceList = ibv_get_device_list;
  v.freeDeviceList = ibv_free_device_list;
  v.getDeviceName = ibv_get_device_name;
  v.openDevice = ibv_open_device;
  v.closeDevice = ibv_close_device;
  v.getAsyncEvent = ibv_get_async_event;
  v.ackAsyncEvent = ibv_ack_async_event;
  v.queryDevice = ibv_query_device;
  v.queryPortRaw = ibv_query_port;
  v.queryGid = ibv_query_gid;
  v.queryGidEx = _ibv_query_gid_ex;
  v.queryGidTable = _ibv_query_gid_table;
  v.queryPkey = ibv_query_pkey;
  v.forkInit = ibv_fork_init;
  v.isForkInitialized = ibv_is_fork_initialized;
  v.allocPd = ibv_alloc_pd;
  v.deallocPd = ibv_dealloc_pd;
  v.regMr = ibv_reg_mr;
  v.regMrIova2 = ibv_reg_mr_iova2;
  v.regDmabufMr = ibv_reg_dmabuf_mr;
  v.deregMr = ibv_dereg_mr;
  v.createCq = ibv_create_cq;
  v.destroyCq = ibv_destroy_cq;
  v.createQp = ibv_create_qp;
  v.modifyQp = ibv_modify_qp;
  v.queryQp = ibv_query_qp;
  v.destroyQp = ibv_destroy_qp;
  v.eventTypeStr = ibv_event_type_str;
  v.wcStatusStr = ibv_wc_status_str;
  v.queryEce = ibv_query_ece;
  v.setEce = ibv_set_ece;
  return v;
}

}  // namespace polyrail::emu
