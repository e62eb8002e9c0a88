// SPDX-License-Identifier: Apache-2.0
// The verbs objects without queue pairs and ports: context, completion channel, PD, MR, CQ, SRQ, AH. Each begins with
// the C struct that programs see, so that the pointer they hold is the object. Made and destroyed through the
// functions here, which return 0 or an errno as the verbs do; all run under the World's lock.
#pragma once

#include <infiniband/verbs.h>

#include <atomic>
#include <deque>
#include <vector>

#include "test/emu/core/event_queue.h"

namespace polyrail::emu {

class Device;
class World;
struct Qp;

// Counts wake-ups that a reader of a file descriptor may take: an eventfd, or nothing where none could be had.
class WakeFd {
 public:
  explicit WakeFd(bool blocking);
  ~WakeFd();
  WakeFd(const WakeFd&) = delete;
  WakeFd& operator=(const WakeFd&) = delete;
  void post();
  int fd() const { return fd_; }

 private:
  int fd_;
};

struct Context {
  Device* device;
  WakeFd wake;
  std::deque<ibv_async_event> events;
  std::vector<const void*> unacked;  // objects whose events were taken, once for each that is not acknowledged
  void* face = nullptr;              // the verbs_context around it
  int64_t users = 0;                 // objects made from it
  Context(Device* d, bool blocking) : device(d), wake(blocking) {}
};

struct Channel {
  ibv_comp_channel face{};
  Context* owner;
  WakeFd wake;
  std::deque<struct Cq*> ready;
  Channel(Context* context, bool blocking) : owner(context), wake(blocking) {}
};

struct Pd {
  ibv_pd face{};
  Context* context = nullptr;
  int64_t users = 0;
};

struct Mr {
  ibv_mr face{};
  Pd* pd = nullptr;
  uint64_t iova = 0;
  unsigned access = 0;
  void* mapping = nullptr;  // of a DMA-BUF, undone with the region
  size_t mappingSize = 0;
};

struct CqEntry {
  ibv_wc wc;
  uint64_t uid;      // of the queue pair
  uint64_t freesTo;  // send queue slots that polling it frees, 0: none (a receive)
};

struct Cq {
  ibv_cq_ex face{};
  Context* context = nullptr;
  Channel* channel = nullptr;
  std::deque<CqEntry> entries;
  std::atomic<int64_t> waiting{0};  // entries.size(), for those who look without the lock
  int64_t capacity = 0;
  int64_t users = 0;
  int64_t eventsTaken = 0, eventsAcked = 0;
  bool armed = false, solicitedOnly = false, overrun = false;
  ibv_wc current{};  // what ibv_start_poll/next_poll stand on
};

struct RecvWqe {
  uint64_t wrId = 0;
  std::vector<ibv_sge> sges;
  uint64_t capacity = 0;
};

struct Srq {
  ibv_srq face{};
  Context* context = nullptr;
  Pd* pd = nullptr;
  std::deque<RecvWqe> wqes;
  int64_t maxWr = 0, maxSge = 0;
  uint32_t limit = 0;
  int64_t users = 0;
};

struct Ah {
  ibv_ah face{};
  Pd* pd = nullptr;
  ibv_ah_attr attr{};
  uint32_t targetPort = 0;
};

int openContext(Device* device, Context** out);
int closeContext(Context* context);
// Takes the next asynchronous event; EAGAIN when there is none.
int takeAsyncEvent(Context* context, ibv_async_event* out);
void raise(Context* context, const ibv_async_event& event);
// Drops the events of an object that is destroyed.
void forgetEvents(Context* context, const void* object);
// The queue pair, CQ or SRQ that an event is about; null for a port's or the device's.
void* objectOf(const ibv_async_event& event);
void ackAsyncEvent(Context* context, const void* object);
// An object is not destroyed before its events that were taken are acknowledged (ibv_get_async_event(3)).
bool hasUnacked(const Context* context, const void* object);

int makeChannel(Context* context, Channel** out);
int dropChannel(Channel* channel);

int makePd(Context* context, Pd** out);
int dropPd(Pd* pd);

struct MrRequest {
  uint64_t address, length, iova;
  unsigned access;
};
int makeMr(Pd* pd, const MrRequest& request, Mr** out);
int dropMr(Mr* mr);

int makeCq(Context* context, int64_t depth, Channel* channel, Cq** out);
int dropCq(Cq* cq);
int resizeCq(Cq* cq, int64_t depth);
int pollCq(Cq* cq, int count, ibv_wc* out);
void armCq(Cq* cq, bool solicitedOnly);
// A completion arrives; raises CQ_ERR and breaks the queue pairs when the queue is full.
void complete(Cq* cq, const CqEntry& entry, bool solicited);
// Takes the next completion event; EAGAIN when there is none.
int takeCqEvent(Channel* channel, Cq** out);
// Forgets the entries of a queue pair that is reset or destroyed.
void forgetQp(Cq* cq, uint64_t uid);

int makeSrq(Pd* pd, const ibv_srq_attr& attr, Srq** out);
int modifySrq(Srq* srq, const ibv_srq_attr& attr, int mask);
int dropSrq(Srq* srq);
int postSrq(Srq* srq, const ibv_recv_wr& wr);
bool takeFromSrq(Srq* srq, RecvWqe* out);

int makeAh(Pd* pd, const ibv_ah_attr& attr, Ah** out);
int dropAh(Ah* ah);

// Copies a receive request's list; EINVAL when it is longer than maxSge.
int readRecvWr(const ibv_recv_wr& wr, int64_t maxSge, RecvWqe* out);

}  // namespace polyrail::emu
