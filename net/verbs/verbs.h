// SPDX-License-Identifier: Apache-2.0
// The verbs that the net plugin calls, as a table of pointers: filled by dlopen on a node (load.h), by the emulator's
// functions in tests. Signatures, return values and thread-safety are libibverbs' own (man pages of rdma-core). What
// a library may lack is null and said so here. A plain value; whoever fills it keeps the library loaded.
#pragma once

#include <infiniband/verbs.h>

#include <cerrno>
#include <cstring>

// The header wraps these in macros that call the linked library; here they are names of members.
#undef ibv_query_port
#undef ibv_reg_mr

namespace polyrail::net {

struct Verbs {
  ibv_device** (*getDeviceList)(int* count);
  void (*freeDeviceList)(ibv_device** list);
  const char* (*getDeviceName)(ibv_device* device);
  ibv_context* (*openDevice)(ibv_device* device);
  int (*closeDevice)(ibv_context* context);
  int (*getAsyncEvent)(ibv_context* context, ibv_async_event* event);  // blocks unless async_fd is O_NONBLOCK
  void (*ackAsyncEvent)(ibv_async_event* event);
  int (*queryDevice)(ibv_context* context, ibv_device_attr* attributes);
  // Fills the fields of the oldest ABI, up to `phys_state`/`link_layer`; use queryPort() below.
  int (*queryPortRaw)(ibv_context* context, uint8_t port, _compat_ibv_port_attr* attributes);
  int (*queryGid)(ibv_context* context, uint8_t port, int index, ibv_gid* gid);
  // Type and interface of a GID too; or null. Its name in the library begins with an underscore.
  int (*queryGidEx)(ibv_context* context, uint32_t port, uint32_t index, ibv_gid_entry* entry, uint32_t flags,
                    size_t entrySize);
  // Every entry in use of every port; how many, or a negative errno, EINVAL also for too little room. Or null.
  ssize_t (*queryGidTable)(ibv_context* context, ibv_gid_entry* entries, size_t room, uint32_t flags,
                           size_t entrySize);
  int (*queryPkey)(ibv_context* context, uint8_t port, int index, __be16* pkey);      // or null
  int (*queryPortSpeed)(ibv_context* context, uint32_t port, uint64_t* hundredMbps);  // or null
  int (*forkInit)();                                                                  // or null
  ibv_fork_status (*isForkInitialized)();                                             // or null
  ibv_pd* (*allocPd)(ibv_context* context);
  int (*deallocPd)(ibv_pd* pd);
  ibv_mr* (*regMr)(ibv_pd* pd, void* address, size_t length, int access);
  ibv_mr* (*regMrIova2)(ibv_pd* pd, void* address, size_t length, uint64_t iova, unsigned access);        // or null
  ibv_mr* (*regDmabufMr)(ibv_pd* pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access);  // or null
  int (*deregMr)(ibv_mr* mr);
  ibv_cq* (*createCq)(ibv_context* context, int entries, void* cqContext, ibv_comp_channel* channel, int vector);
  int (*destroyCq)(ibv_cq* cq);
  ibv_qp* (*createQp)(ibv_pd* pd, ibv_qp_init_attr* attributes);
  int (*modifyQp)(ibv_qp* qp, ibv_qp_attr* attributes, int mask);
  int (*queryQp)(ibv_qp* qp, ibv_qp_attr* attributes, int mask, ibv_qp_init_attr* initAttributes);
  int (*destroyQp)(ibv_qp* qp);
  const char* (*eventTypeStr)(ibv_event_type event);
  const char* (*wcStatusStr)(ibv_wc_status status);
  int (*queryEce)(ibv_qp* qp, ibv_ece* ece);  // or null
  int (*setEce)(ibv_qp* qp, ibv_ece* ece);    // or null
};

// What libibverbs' own inline does: fields the library does not know stay zero. 0 or an errno.
inline int queryPort(const Verbs& verbs, ibv_context* context, uint8_t port, ibv_port_attr* attributes) {
  std::memset(attributes, 0, sizeof *attributes);
  return verbs.queryPortRaw(context, port, reinterpret_cast<_compat_ibv_port_attr*>(attributes));
}

// The data path goes straight to the provider, through the context's own table, as libibverbs' inlines do.
inline int postSend(ibv_qp* qp, ibv_send_wr* wr, ibv_send_wr** bad) {
  return qp->context->ops.post_send(qp, wr, bad);
}
inline int postRecv(ibv_qp* qp, ibv_recv_wr* wr, ibv_recv_wr** bad) {
  return qp->context->ops.post_recv(qp, wr, bad);
}
inline int pollCq(ibv_cq* cq, int count, ibv_wc* wc) { return cq->context->ops.poll_cq(cq, count, wc); }

}  // namespace polyrail::net
