// SPDX-License-Identifier: Apache-2.0
// The rest of what programs and rdma-core's own libraries bind to. IBVERBS_PRIVATE_34 is the interface between
// libibverbs and its drivers (libmlx5, libefa): perftest links those, so their symbols must be found; no driver is
// ever asked for a device here, so that each answers "not supported" if it is called at all.
#include <cstdarg>
#include <cstring>

#include "test/emu/verbs/face.h"

EMU_EXPORT bool verbs_allow_disassociate_destroy;
bool verbs_allow_disassociate_destroy = false;

EMU_EXPORT void verbs_register_driver_34(const void*) {}  // drivers announce themselves when they are loaded
EMU_EXPORT void __verbs_log(void*, uint32_t, const char*, ...) {}
EMU_EXPORT void* _verbs_init_and_alloc_context(void*, int, size_t, void*, uint32_t) {
  return polyrail::emu::fail(EOPNOTSUPP);
}
EMU_EXPORT void* verbs_open_device(void*, void*) { return polyrail::emu::fail(EOPNOTSUPP); }
EMU_EXPORT void verbs_uninit_context(void*) {}
EMU_EXPORT void verbs_set_ops(void*, const void*) {}
EMU_EXPORT void verbs_init_cq(void*, void*, void*, void*) {}
EMU_EXPORT unsigned __ioctl_final_num_attrs(unsigned count, void*) { return count; }

#define NOT_SUPPORTED(name) \
  EMU_EXPORT int name() { return EOPNOTSUPP; }

NOT_SUPPORTED(execute_ioctl)
NOT_SUPPORTED(ibv_cmd_advise_mr)
NOT_SUPPORTED(ibv_cmd_alloc_dm)
NOT_SUPPORTED(ibv_cmd_alloc_mw)
NOT_SUPPORTED(ibv_cmd_alloc_pd)
NOT_SUPPORTED(ibv_cmd_attach_mcast)
NOT_SUPPORTED(ibv_cmd_close_xrcd)
NOT_SUPPORTED(ibv_cmd_create_ah)
NOT_SUPPORTED(ibv_cmd_create_counters)
NOT_SUPPORTED(ibv_cmd_create_cq)
NOT_SUPPORTED(ibv_cmd_create_cq_ex)
NOT_SUPPORTED(ibv_cmd_create_flow)
NOT_SUPPORTED(ibv_cmd_create_flow_action_esp)
NOT_SUPPORTED(ibv_cmd_create_qp)
NOT_SUPPORTED(ibv_cmd_create_qp_ex)
NOT_SUPPORTED(ibv_cmd_create_qp_ex2)
NOT_SUPPORTED(ibv_cmd_create_rwq_ind_table)
NOT_SUPPORTED(ibv_cmd_create_srq)
NOT_SUPPORTED(ibv_cmd_create_srq_ex)
NOT_SUPPORTED(ibv_cmd_create_wq)
NOT_SUPPORTED(ibv_cmd_dealloc_mw)
NOT_SUPPORTED(ibv_cmd_dealloc_pd)
NOT_SUPPORTED(ibv_cmd_dereg_mr)
NOT_SUPPORTED(ibv_cmd_destroy_ah)
NOT_SUPPORTED(ibv_cmd_destroy_counters)
NOT_SUPPORTED(ibv_cmd_destroy_cq)
NOT_SUPPORTED(ibv_cmd_destroy_flow)
NOT_SUPPORTED(ibv_cmd_destroy_flow_action)
NOT_SUPPORTED(ibv_cmd_destroy_qp)
NOT_SUPPORTED(ibv_cmd_destroy_rwq_ind_table)
NOT_SUPPORTED(ibv_cmd_destroy_srq)
NOT_SUPPORTED(ibv_cmd_destroy_wq)
NOT_SUPPORTED(ibv_cmd_detach_mcast)
NOT_SUPPORTED(ibv_cmd_free_dm)
NOT_SUPPORTED(ibv_cmd_get_context)
NOT_SUPPORTED(ibv_cmd_modify_cq)
NOT_SUPPORTED(ibv_cmd_modify_flow_action_esp)
NOT_SUPPORTED(ibv_cmd_modify_qp)
NOT_SUPPORTED(ibv_cmd_modify_qp_ex)
NOT_SUPPORTED(ibv_cmd_modify_srq)
NOT_SUPPORTED(ibv_cmd_modify_wq)
NOT_SUPPORTED(ibv_cmd_open_qp)
NOT_SUPPORTED(ibv_cmd_open_xrcd)
NOT_SUPPORTED(ibv_cmd_poll_cq)
NOT_SUPPORTED(ibv_cmd_post_recv)
NOT_SUPPORTED(ibv_cmd_post_send)
NOT_SUPPORTED(ibv_cmd_post_srq_recv)
NOT_SUPPORTED(ibv_cmd_query_context)
NOT_SUPPORTED(ibv_cmd_query_device_any)
NOT_SUPPORTED(ibv_cmd_query_mr)
NOT_SUPPORTED(ibv_cmd_query_port)
NOT_SUPPORTED(ibv_cmd_query_qp)
NOT_SUPPORTED(ibv_cmd_query_srq)
NOT_SUPPORTED(ibv_cmd_read_counters)
NOT_SUPPORTED(ibv_cmd_reg_dm_mr)
NOT_SUPPORTED(ibv_cmd_reg_dmabuf_mr)
NOT_SUPPORTED(ibv_cmd_reg_mr)
NOT_SUPPORTED(ibv_cmd_req_notify_cq)
NOT_SUPPORTED(ibv_cmd_rereg_mr)
NOT_SUPPORTED(ibv_cmd_resize_cq)
NOT_SUPPORTED(ibv_read_ibdev_sysfs_file)
NOT_SUPPORTED(ibv_register_driver)

EMU_EXPORT int ibv_resolve_eth_l2_from_gid(ibv_context*, ibv_ah_attr*, uint8_t*, uint16_t*) { return EOPNOTSUPP; }
EMU_EXPORT ibv_pd* ibv_import_pd(ibv_context*, uint32_t) { return polyrail::emu::fail(EOPNOTSUPP); }
EMU_EXPORT void ibv_unimport_pd(ibv_pd*) {}
EMU_EXPORT ibv_mr* ibv_import_mr(ibv_pd*, uint32_t) { return polyrail::emu::fail(EOPNOTSUPP); }
EMU_EXPORT void ibv_unimport_mr(ibv_mr*) {}
EMU_EXPORT ibv_dm* ibv_import_dm(ibv_context*, uint32_t) { return polyrail::emu::fail(EOPNOTSUPP); }
EMU_EXPORT void ibv_unimport_dm(ibv_dm*) {}
// librdmacm's conversions between the kernel's structs and the library's: the emulator has no connection manager.
EMU_EXPORT void ibv_copy_ah_attr_from_kern(void*, void*) {}
EMU_EXPORT void ibv_copy_path_rec_from_kern(void*, void*) {}
EMU_EXPORT void ibv_copy_path_rec_to_kern(void*, void*) {}
EMU_EXPORT void ibv_copy_qp_attr_from_kern(void*, void*) {}
