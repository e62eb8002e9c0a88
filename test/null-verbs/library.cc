// SPDX-License-Identifier: Apache-2.0
// A libibverbs.so.1 of NICs that cost nothing (test/unit/net-data/null_verbs.h): no thread, no clock, no system call
// but one to make a context and one to fetch an event. What a program that uses it does is its own doing, so system
// calls and instructions can be counted. NULL_RAILS says how many NICs of one port there are (2). Queue pairs are
// made by one thread; events may be raised by one thread and fetched by another.
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "test/null-verbs/null.h"
#include "test/unit/net-data/null_verbs.h"

#define NULL_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using polyrail::net::Verbs;
using namespace polyrail::net::null_verbs;

struct Nic {
  ibv_device face;
  int number;
};
struct Open {
  ibv_context face;
  Nic* nic;
  int event = -1;  // that was raised and not fetched
};

const Verbs verbs = table();
std::vector<Nic> nics;
std::mutex mutex;
std::vector<Open*> contexts;  // guarded by mutex
ibv_qp* newest = nullptr;     // as well
std::atomic<bool> hidden{false};
std::atomic<int> pending{0}, queuePairs{0}, joined[256];
thread_local long controlCalls = 0;

void findNics() {
  const std::lock_guard lock(mutex);
  if (!nics.empty()) return;
  const char* rails = std::getenv("NULL_RAILS");
  nics.resize(static_cast<size_t>(rails ? std::atoi(rails) : 2));
  for (size_t i = 0; i < nics.size(); i++) {
    nics[i].number = static_cast<int>(i);
    std::snprintf(nics[i].face.name, sizeof nics[i].face.name, "null%zu", i);
    nics[i].face.transport_type = IBV_TRANSPORT_IB;
  }
}

Nic* nicOf(ibv_device* device) { return reinterpret_cast<Nic*>(device); }
Open* openOf(ibv_context* context) { return reinterpret_cast<Open*>(context); }

// ::ffff:10.0.N.1, as RoCE v2
ibv_gid gidOf(const Nic& nic) {
  ibv_gid gid{};
  const uint8_t tail[] = {0xff, 0xff, 10, 0, static_cast<uint8_t>(nic.number), 1};
  std::memcpy(gid.raw + 10, tail, sizeof tail);
  return gid;
}

}  // namespace

NULL_EXPORT long null_control_calls() { return controlCalls; }
NULL_EXPORT int null_pending_events() { return pending; }
NULL_EXPORT void null_hide_gids(int hide) { hidden = hide != 0; }
NULL_EXPORT int null_queue_pairs() { return queuePairs; }
NULL_EXPORT int null_joined(int trafficClass) { return joined[trafficClass & 255]; }
NULL_EXPORT void null_raise(int device, int event) {
  const std::lock_guard lock(mutex);
  for (Open* open : contexts) {
    if (open->nic->number != device) continue;
    open->event = event;
    pending++;
    eventfd_write(open->face.async_fd, 1);
  }
}

NULL_EXPORT ibv_device** ibv_get_device_list(int* count) {
  findNics();
  if (count) *count = static_cast<int>(nics.size());
  auto** list = static_cast<ibv_device**>(std::calloc(nics.size() + 1, sizeof(ibv_device*)));
  for (size_t i = 0; i < nics.size(); i++) list[i] = &nics[i].face;
  return list;
}
NULL_EXPORT void ibv_free_device_list(ibv_device** list) { std::free(list); }
NULL_EXPORT const char* ibv_get_device_name(ibv_device* device) { return device->name; }

NULL_EXPORT ibv_context* ibv_open_device(ibv_device* device) {
  controlCalls++;
  Open* open = new Open{};
  open->face.ops = rail(0).context->ops;
  open->face.device = device;
  open->face.async_fd = eventfd(0, EFD_CLOEXEC);
  open->nic = nicOf(device);
  const std::lock_guard lock(mutex);
  contexts.push_back(open);
  return &open->face;
}
NULL_EXPORT int ibv_close_device(ibv_context* context) {
  controlCalls++;
  const std::lock_guard lock(mutex);
  std::erase(contexts, openOf(context));
  close(context->async_fd);
  delete openOf(context);
  return 0;
}

NULL_EXPORT int ibv_get_async_event(ibv_context* context, ibv_async_event* event) {
  eventfd_t count = 0;
  if (eventfd_read(context->async_fd, &count) != 0) return -1;
  const std::lock_guard lock(mutex);
  *event = {};
  event->event_type = static_cast<ibv_event_type>(openOf(context)->event);
  event->element.port_num = 1;
  if (event->event_type == IBV_EVENT_CQ_ERR) event->element.cq = newest->send_cq;
  if (event->event_type >= IBV_EVENT_QP_FATAL && event->event_type <= IBV_EVENT_QP_ACCESS_ERR)
    event->element.qp = newest;
  return 0;
}
NULL_EXPORT void ibv_ack_async_event(ibv_async_event*) { pending--; }
NULL_EXPORT const char* ibv_event_type_str(ibv_event_type) { return "an event"; }
NULL_EXPORT const char* ibv_wc_status_str(ibv_wc_status) { return "a status"; }

NULL_EXPORT int ibv_query_device(ibv_context* context, ibv_device_attr* a) {
  controlCalls++;
  *a = {};
  a->node_guid = a->sys_image_guid = static_cast<uint64_t>(openOf(context)->nic->number + 1);
  a->phys_port_cnt = 1;
  a->max_qp = 1 << 18;
  a->max_qp_wr = 1 << 15;
  a->max_cq = a->max_mr = 1 << 24;
  a->max_cqe = 1 << 22;
  a->max_sge = 30;
  a->max_qp_rd_atom = a->max_qp_init_rd_atom = 16;
  return 0;
}
NULL_EXPORT int ibv_query_port(ibv_context*, uint8_t, _compat_ibv_port_attr* compat) {
  controlCalls++;
  auto* a = reinterpret_cast<ibv_port_attr*>(compat);
  a->state = IBV_PORT_ACTIVE;
  a->max_mtu = a->active_mtu = IBV_MTU_4096;
  a->gid_tbl_len = 16;
  a->max_msg_sz = 1u << 30;
  a->active_width = 2;    // 4 lanes
  a->active_speed = 128;  // of 100 Gb/s
  a->link_layer = IBV_LINK_LAYER_ETHERNET;
  return 0;
}
NULL_EXPORT int ibv_query_gid(ibv_context* context, uint8_t, int index, ibv_gid* gid) {
  controlCalls++;
  if (index != 0 || hidden) return EINVAL;
  *gid = gidOf(*openOf(context)->nic);
  return 0;
}
NULL_EXPORT int _ibv_query_gid_ex(ibv_context* context, uint32_t port, uint32_t index, ibv_gid_entry* entry, uint32_t,
                                  size_t) {
  *entry = {};
  entry->port_num = port;
  entry->gid_index = index;
  entry->gid_type = IBV_GID_TYPE_ROCE_V2;
  return ibv_query_gid(context, static_cast<uint8_t>(port), static_cast<int>(index), &entry->gid);
}

NULL_EXPORT ibv_pd* ibv_alloc_pd(ibv_context* context) {
  controlCalls++;
  ibv_pd* pd = new ibv_pd{};
  pd->context = context;
  return pd;
}
NULL_EXPORT int ibv_dealloc_pd(ibv_pd* pd) {
  controlCalls++;
  delete pd;
  return 0;
}
NULL_EXPORT ibv_mr* ibv_reg_mr(ibv_pd* pd, void* address, size_t length, int access) {
  controlCalls++;
  return verbs.regMr(pd, address, length, access);
}
NULL_EXPORT int ibv_dereg_mr(ibv_mr* mr) {
  controlCalls++;
  return verbs.deregMr(mr);
}
NULL_EXPORT ibv_cq* ibv_create_cq(ibv_context* context, int entries, void* word, ibv_comp_channel* channel,
                                  int vector) {
  controlCalls++;
  return verbs.createCq(context, entries, word, channel, vector);
}
NULL_EXPORT int ibv_destroy_cq(ibv_cq* cq) {
  controlCalls++;
  return verbs.destroyCq(cq);
}
NULL_EXPORT ibv_qp* ibv_create_qp(ibv_pd* pd, ibv_qp_init_attr* attributes) {
  controlCalls++;
  queuePairs++;
  ibv_qp* qp = verbs.createQp(pd, attributes);
  qp->send_cq = attributes->send_cq;
  qp->recv_cq = attributes->recv_cq;
  const std::lock_guard lock(mutex);
  return newest = qp;
}
NULL_EXPORT int ibv_modify_qp(ibv_qp* qp, ibv_qp_attr* attributes, int mask) {
  controlCalls++;
  if (mask & IBV_QP_AV) joined[attributes->ah_attr.grh.traffic_class]++;
  return verbs.modifyQp(qp, attributes, mask);
}
NULL_EXPORT int ibv_query_qp(ibv_qp*, ibv_qp_attr* attributes, int, ibv_qp_init_attr* init) {
  controlCalls++;
  *attributes = {};
  *init = {};
  return 0;
}
NULL_EXPORT int ibv_destroy_qp(ibv_qp* qp) {
  controlCalls++;
  queuePairs--;
  return verbs.destroyQp(qp);
}
