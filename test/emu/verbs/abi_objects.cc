// SPDX-License-Identifier: Apache-2.0
// PDs, memory regions, completion channels and queues, SRQs, address handles.
#include <cstring>

#include "test/emu/verbs/face.h"

#undef ibv_reg_mr
#undef ibv_reg_mr_iova

using namespace polyrail::emu;

EMU_EXPORT ibv_pd* ibv_alloc_pd(ibv_context* context) {
  Entry entry(sessionOf(context), Call::kAllocPd, hostOf(context));
  Pd* pd = nullptr;
  if (const int error = entry.error() ? entry.error() : makePd(coreOf(context), &pd)) return fail(error);
  pd->face.context = context;
  return &pd->face;
}

EMU_EXPORT int ibv_dealloc_pd(ibv_pd* pd) {
  Entry entry(sessionOf(pd->context), Call::kDeallocPd, hostOf(pd->context));
  return entry.error() ? entry.error() : dropPd(coreOf(pd));
}

namespace {

ibv_mr* registerMr(ibv_pd* pd, const MrRequest& request, Call call) {
  Entry entry(sessionOf(pd->context), call, hostOf(pd->context));
  Mr* mr = nullptr;
  if (const int error = entry.error() ? entry.error() : makeMr(coreOf(pd), request, &mr)) return fail(error);
  mr->face.context = pd->context;
  mr->face.pd = pd;
  return &mr->face;
}

uint64_t number(const void* address) { return reinterpret_cast<uint64_t>(address); }

}  // namespace

EMU_EXPORT ibv_mr* ibv_reg_mr(ibv_pd* pd, void* address, size_t length, int access) {
  return registerMr(pd, {number(address), length, number(address), static_cast<unsigned>(access)}, Call::kRegMr);
}

EMU_EXPORT ibv_mr* ibv_reg_mr_iova(ibv_pd* pd, void* address, size_t length, uint64_t iova, int access) {
  return registerMr(pd, {number(address), length, iova, static_cast<unsigned>(access)}, Call::kRegMr);
}

EMU_EXPORT ibv_mr* ibv_reg_mr_iova2(ibv_pd* pd, void* address, size_t length, uint64_t iova, unsigned access) {
  return registerMr(pd, {number(address), length, iova, access}, Call::kRegMr);
}

EMU_EXPORT int ibv_rereg_mr(ibv_mr*, int, ibv_pd*, void*, size_t, int) { return IBV_REREG_MR_ERR_INPUT; }

EMU_EXPORT int ibv_dereg_mr(ibv_mr* mr) {
  Entry entry(sessionOf(mr->context), Call::kDeregMr, hostOf(mr->context));
  if (entry.error()) return entry.error();
  return dropMr(coreOf(mr));
}

EMU_EXPORT ibv_comp_channel* ibv_create_comp_channel(ibv_context* context) {
  Entry entry(sessionOf(context), Call::kCreateCompChannel, hostOf(context));
  Channel* channel = nullptr;
  if (const int error = entry.error() ? entry.error() : makeChannel(coreOf(context), &channel)) return fail(error);
  channel->face.context = context;
  return &channel->face;
}

EMU_EXPORT int ibv_destroy_comp_channel(ibv_comp_channel* channel) {
  Entry entry(sessionOf(channel->context), Call::kDestroyCompChannel, hostOf(channel->context));
  return entry.error() ? entry.error() : dropChannel(coreOf(channel));
}

namespace {

ibv_cq* makeCqFace(ibv_context* context, int64_t depth, void* user, ibv_comp_channel* channel, int vector) {
  Entry entry(sessionOf(context), Call::kCreateCq, hostOf(context));
  Cq* cq = nullptr;
  int error = entry.error();
  if (!error && (vector < 0 || vector >= context->num_comp_vectors)) error = EINVAL;
  if (!error) error = makeCq(coreOf(context), depth, channel ? coreOf(channel) : nullptr, &cq);
  if (error) return fail(error);
  cq->face.context = context;
  cq->face.channel = channel;
  cq->face.cq_context = user;
  pthread_mutex_init(&cq->face.mutex, nullptr);
  pthread_cond_init(&cq->face.cond, nullptr);
  return ibv_cq_ex_to_cq(&cq->face);
}

// Until every event that was taken has been acknowledged, as the library it stands for does.
void waitForAcks(ibv_cq* cq) {
  const Cq* core = coreOf(cq);
  waitWhile(sessionOf(cq->context),
            [&] { return core->eventsTaken != core->eventsAcked || hasUnacked(core->context, core); });
}

}  // namespace

namespace polyrail::emu {
ibv_cq_ex* createCqEx(ibv_context* context, ibv_cq_init_attr_ex* attr) {
  ibv_cq* cq = makeCqFace(context, attr->cqe, attr->cq_context, attr->channel, static_cast<int>(attr->comp_vector));
  if (!cq) return nullptr;
  setPollOps(coreOf(cq));
  return &coreOf(cq)->face;
}
}  // namespace polyrail::emu

EMU_EXPORT ibv_cq* ibv_create_cq(ibv_context* context, int depth, void* user, ibv_comp_channel* channel, int vector) {
  return makeCqFace(context, depth, user, channel, vector);
}

EMU_EXPORT int ibv_resize_cq(ibv_cq* cq, int depth) {
  Entry entry(sessionOf(cq->context), Call::kResizeCq, hostOf(cq->context));
  return entry.error() ? entry.error() : resizeCq(coreOf(cq), depth);
}

EMU_EXPORT int ibv_destroy_cq(ibv_cq* cq) {
  waitForAcks(cq);
  Entry entry(sessionOf(cq->context), Call::kDestroyCq, hostOf(cq->context));
  return entry.error() ? entry.error() : dropCq(coreOf(cq));
}

EMU_EXPORT int ibv_get_cq_event(ibv_comp_channel* channel, ibv_cq** cq, void** user) {
  uint64_t one;
  for (;;) {
    if (read(channel->fd, &one, sizeof one) != sizeof one) return -1;
    Entry entry(sessionOf(channel->context), Call::kGetCqEvent, hostOf(channel->context));
    if (entry.error()) coreOf(channel)->wake.post();  // the event is still there
    Cq* found = nullptr;
    const int error = entry.error() ? entry.error() : takeCqEvent(coreOf(channel), &found);
    if (error == EAGAIN && !entry.error()) continue;  // of a queue that was destroyed meanwhile
    if (error) {
      errno = error;
      return -1;
    }
    *cq = ibv_cq_ex_to_cq(&found->face);
    *user = found->face.cq_context;
    return 0;
  }
}

EMU_EXPORT void ibv_ack_cq_events(ibv_cq* cq, unsigned count) {
  Session* session = sessionOf(cq->context);
  session->lock();
  coreOf(cq)->eventsAcked += count;
  session->unlock();
}

EMU_EXPORT ibv_srq* ibv_create_srq(ibv_pd* pd, ibv_srq_init_attr* attr) {
  Entry entry(sessionOf(pd->context), Call::kCreateSrq, hostOf(pd->context));
  Srq* srq = nullptr;
  if (const int error = entry.error() ? entry.error() : makeSrq(coreOf(pd), attr->attr, &srq)) return fail(error);
  srq->face.context = pd->context;
  srq->face.srq_context = attr->srq_context;
  srq->face.pd = pd;
  return &srq->face;
}

EMU_EXPORT int ibv_modify_srq(ibv_srq* srq, ibv_srq_attr* attr, int mask) {
  Entry entry(sessionOf(srq->context), Call::kModifySrq, hostOf(srq->context));
  return entry.error() ? entry.error() : modifySrq(coreOf(srq), *attr, mask);
}

EMU_EXPORT int ibv_query_srq(ibv_srq* srq, ibv_srq_attr* attr) {
  const Srq* core = coreOf(srq);
  *attr = {static_cast<uint32_t>(core->maxWr), static_cast<uint32_t>(core->maxSge), core->limit};
  return 0;
}

EMU_EXPORT int ibv_destroy_srq(ibv_srq* srq) {
  waitWhile(sessionOf(srq->context), [&] { return hasUnacked(coreOf(srq->context), srq); });
  Entry entry(sessionOf(srq->context), Call::kDestroySrq, hostOf(srq->context));
  return entry.error() ? entry.error() : dropSrq(coreOf(srq));
}

EMU_EXPORT ibv_ah* ibv_create_ah(ibv_pd* pd, ibv_ah_attr* attr) {
  Entry entry(sessionOf(pd->context), Call::kCreateAh, hostOf(pd->context));
  Ah* ah = nullptr;
  if (const int error = entry.error() ? entry.error() : makeAh(coreOf(pd), *attr, &ah)) return fail(error);
  ah->face.context = pd->context;
  ah->face.pd = pd;
  return &ah->face;
}

EMU_EXPORT int ibv_init_ah_from_wc(ibv_context*, uint8_t port, ibv_wc* wc, ibv_grh* grh, ibv_ah_attr* attr) {
  *attr = ibv_ah_attr{};
  attr->port_num = port;
  attr->dlid = wc->slid;
  attr->sl = wc->sl;
  if (!(wc->wc_flags & IBV_WC_GRH)) return 0;
  attr->is_global = 1;
  attr->grh.dgid = grh->sgid;
  return 0;
}

EMU_EXPORT ibv_ah* ibv_create_ah_from_wc(ibv_pd* pd, ibv_wc* wc, ibv_grh* grh, uint8_t port) {
  ibv_ah_attr attr;
  ibv_init_ah_from_wc(pd->context, port, wc, grh, &attr);
  if (const Port* p = coreOf(pd)->context->device->port(port); p && attr.is_global)
    attr.grh.sgid_index = static_cast<uint8_t>(std::max(0, p->gidIndex(grh->dgid)));
  return ibv_create_ah(pd, &attr);
}

EMU_EXPORT int ibv_destroy_ah(ibv_ah* ah) {
  Entry entry(sessionOf(ah->context), Call::kDestroyAh, hostOf(ah->context));
  return entry.error() ? entry.error() : dropAh(coreOf(ah));
}
