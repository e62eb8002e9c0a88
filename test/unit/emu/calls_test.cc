// SPDX-License-Identifier: Apache-2.0
// Every verbs call that a fault script can name fails on the use it was told to, with that errno, and works on the
// next.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <functional>
#include <map>

#include "test/unit/emu/pair.h"

namespace polyrail::emu {
namespace {

// Each uses its call once on end `a` and returns its errno, 0 when it worked; nothing is left over either way.
using Use = std::function<int(Pair&)>;

template <typename T>
int made(T* object, int (*drop)(T*)) {
  if (!object) return errno;
  EXPECT_EQ(drop(object), 0);
  return 0;
}

// The call that ends an object: it must have an effect only when it says so.
template <typename T>
int dropped(T* object, int (*drop)(T*)) {
  const int error = drop(object);
  if (error) {
    EXPECT_EQ(drop(object), 0);
  }
  return error;
}

int freeList(ibv_device** list) {
  ibv_free_device_list(list);
  return 0;
}

ibv_context* open(Pair& p) { return ibv_open_device(p.a.context->device); }
ibv_mr* region(Pair& p) { return ibv_reg_mr(p.a.pd, p.a.buffer.data(), 64, 0); }
ibv_cq* queue(Pair& p) { return ibv_create_cq(p.a.context, 4, nullptr, nullptr, 0); }

ibv_mr* mapped(Pair& p) {
  const int fd = memfd_create("dmabuf", MFD_CLOEXEC);
  EXPECT_EQ(ftruncate(fd, 4096), 0);
  ibv_mr* mr = ibv_reg_dmabuf_mr(p.a.pd, 0, 4096, 0, fd, IBV_ACCESS_LOCAL_WRITE);
  const int error = errno;
  close(fd);
  errno = error;
  return mr;
}

ibv_srq* shared(Pair& p) {
  ibv_srq_init_attr init{nullptr, {4, 1, 0}};
  return ibv_create_srq(p.a.pd, &init);
}

ibv_qp* pair(Pair& p) {
  ibv_qp_init_attr init{};
  init.send_cq = init.recv_cq = p.a.cq;
  init.cap = {1, 1, 1, 1, 0};
  init.qp_type = IBV_QPT_RC;
  return ibv_create_qp(p.a.pd, &init);
}

ibv_ah* address(Pair& p) {
  ibv_ah_attr attr{};
  attr.port_num = attr.is_global = 1;
  attr.grh.sgid_index = 3;
  ibv_query_gid(p.b.context, 1, 3, &attr.grh.dgid);
  return ibv_create_ah(p.a.pd, &attr);
}

int postShared(Pair& p) {
  ibv_srq* srq = shared(p);
  ibv_recv_wr wr{}, *bad = nullptr;
  const int error = ibv_post_srq_recv(srq, &wr, &bad);
  EXPECT_EQ(bad, error ? &wr : nullptr);
  EXPECT_EQ(ibv_destroy_srq(srq), 0);
  return error;
}

int modifyShared(Pair& p) {
  ibv_srq* srq = shared(p);
  ibv_srq_attr attr{4, 1, 2};
  const int error = ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT);
  EXPECT_EQ(ibv_destroy_srq(srq), 0);
  return error;
}

int resized(Pair& p) {
  ibv_cq* cq = queue(p);
  const int error = ibv_resize_cq(cq, 8);
  EXPECT_EQ(ibv_destroy_cq(cq), 0);
  return error;
}

int queried(Pair& p) {
  ibv_qp_attr attr;
  ibv_qp_init_attr init;
  return ibv_query_qp(p.a.qp, &attr, IBV_QP_STATE, &init);
}

// A completion waits on the end's channel; a call that fails does not lose it.
int tookCompletionEvent(Pair& p) {
  ibv_cq* cq = nullptr;
  void* user = nullptr;
  if (ibv_get_cq_event(p.a.channel, &cq, &user) != 0) return errno;
  ibv_ack_cq_events(cq, 1);
  return 0;
}

int tookAsyncEvent(Pair& p) {
  ibv_async_event event;
  if (ibv_get_async_event(p.a.context, &event) != 0) return errno;
  ibv_ack_async_event(&event);
  return 0;
}

int polled(Pair& p) {
  ibv_wc wc;
  const int found = ibv_poll_cq(p.a.cq, 1, &wc);
  return found < 0 ? -found : 0;
}

int queriedPort(Pair& p) {
  ibv_port_attr attr;
  return ibv_query_port(p.a.context, 1, &attr);
}

int queriedDevice(Pair& p) {
  ibv_device_attr attr;
  return ibv_query_device(p.a.context, &attr);
}

int queriedGid(Pair& p) {
  ibv_gid gid;
  return ibv_query_gid(p.a.context, 1, 3, &gid) == 0 ? 0 : errno;
}

int listed(Pair&) {
  ibv_device** list = ibv_get_device_list(nullptr);
  return list ? freeList(list) : errno;
}

const std::map<std::string_view, Use>& uses() {
  static const std::map<std::string_view, Use> all = {
      {"ibv_get_device_list", listed},
      {"ibv_open_device", [](Pair& p) { return made(open(p), ibv_close_device); }},
      {"ibv_close_device", [](Pair& p) { return dropped(open(p), ibv_close_device); }},
      {"ibv_query_device", queriedDevice},
      {"ibv_query_port", queriedPort},
      {"ibv_query_gid", queriedGid},
      {"ibv_alloc_pd", [](Pair& p) { return made(ibv_alloc_pd(p.a.context), ibv_dealloc_pd); }},
      {"ibv_dealloc_pd", [](Pair& p) { return dropped(ibv_alloc_pd(p.a.context), ibv_dealloc_pd); }},
      {"ibv_reg_mr", [](Pair& p) { return made(region(p), ibv_dereg_mr); }},
      {"ibv_reg_dmabuf_mr", [](Pair& p) { return made(mapped(p), ibv_dereg_mr); }},
      {"ibv_dereg_mr", [](Pair& p) { return dropped(region(p), ibv_dereg_mr); }},
      {"ibv_create_comp_channel",
       [](Pair& p) { return made(ibv_create_comp_channel(p.a.context), ibv_destroy_comp_channel); }},
      {"ibv_destroy_comp_channel",
       [](Pair& p) { return dropped(ibv_create_comp_channel(p.a.context), ibv_destroy_comp_channel); }},
      {"ibv_create_cq", [](Pair& p) { return made(queue(p), ibv_destroy_cq); }},
      {"ibv_resize_cq", resized},
      {"ibv_destroy_cq", [](Pair& p) { return dropped(queue(p), ibv_destroy_cq); }},
      {"ibv_create_srq", [](Pair& p) { return made(shared(p), ibv_destroy_srq); }},
      {"ibv_modify_srq", modifyShared},
      {"ibv_destroy_srq", [](Pair& p) { return dropped(shared(p), ibv_destroy_srq); }},
      {"ibv_create_qp", [](Pair& p) { return made(pair(p), ibv_destroy_qp); }},
      {"ibv_modify_qp", [](Pair& p) { return p.a.toState(IBV_QPS_RTS); }},
      {"ibv_query_qp", queried},
      {"ibv_destroy_qp", [](Pair& p) { return dropped(pair(p), ibv_destroy_qp); }},
      {"ibv_create_ah", [](Pair& p) { return made(address(p), ibv_destroy_ah); }},
      {"ibv_destroy_ah", [](Pair& p) { return dropped(address(p), ibv_destroy_ah); }},
      {"ibv_post_send", [](Pair& p) { return p.a.write(1, p.b, 8, 0, 0); }},
      {"ibv_post_recv", [](Pair& p) { return p.a.recv(1, 8); }},
      {"ibv_post_srq_recv", postShared},
      {"ibv_poll_cq", polled},
      {"ibv_req_notify_cq", [](Pair& p) { return ibv_req_notify_cq(p.a.cq, 0); }},
      {"ibv_get_cq_event", tookCompletionEvent},
      {"ibv_get_async_event", tookAsyncEvent}};
  return all;
}

TEST(Calls, EveryOneFailsOnTheUseItIsToldTo) {
  for (size_t i = 0; i < kCallNames.size(); i++) {
    SCOPED_TRACE(kCallNames[i]);
    const auto use = uses().find(kCallNames[i]);
    ASSERT_NE(use, uses().end()) << "no use of this call is tested";
    Pair p({}, defaultFabric(), faults(R"([{"at": "1us", "do": "port_down", "target": "a/emu0", "for": "1us"}])"));
    ASSERT_EQ(ibv_req_notify_cq(p.a.cq, 0), 0);
    ASSERT_EQ(p.b.write(1, p.a, 8), 0);
    ASSERT_EQ(p.a.write(1, p.b, 8), 0);
    p.sim.run(1'000'000'000);  // an event and a completion are there
    const auto call = static_cast<Call>(i);
    FaultEngine& engine = p.sim.world().faults();
    Fault fault;
    fault.when = When::kCall;
    fault.call = call;
    fault.callHost = "a";
    fault.nth = engine.calls(call, 0) + 1;
    fault.act = Act::kFail;
    fault.error = ENOMEM;
    p.sim.setHost("a");
    ASSERT_TRUE(engine.add(fault).ok());
    EXPECT_EQ(use->second(p), ENOMEM);
    EXPECT_EQ(use->second(p), 0) << "the use after it";
  }
}

}  // namespace
}  // namespace polyrail::emu
