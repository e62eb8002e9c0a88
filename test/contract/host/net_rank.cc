// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/net_rank.h"

#include <fmt/format.h>

#include <thread>

#include "test/contract/host/call_watch.h"

namespace polyrail::contract {

using std::chrono::milliseconds;

namespace {
constexpr std::chrono::microseconds kNothingToDo{20};  // NCCL would spin; tests share their processors
}  // namespace

NetRank::NetRank(NetHost& host, Meeting& meeting, const TrafficPlan& plan, int rank)
    : host_(host), meeting_(meeting), plan_(plan), rank_(rank) {
  for (size_t i = 0; i < plan.links.size(); i++) {
    const LinkPlan& link = plan.links[i];
    if (link.to == rank) connections_.push_back({&link, static_cast<int>(i), true, {}});
    if (link.from == rank) connections_.push_back({&link, static_cast<int>(i), false, {}});
  }
}

std::string NetRank::who() const { return fmt::format("rank {}", rank_); }

void NetRank::run() {
  const bool up = join() && connectAll();
  if (up) {
    prepareBuffers();
    if (meeting_.waitForAll() && !moveData()) meeting_.faults.add(who() + ": the data did not arrive in time");
    meeting_.waitForAll();
  } else {
    meeting_.giveUp();
  }
  closeAll();
  leave();
}

void NetRank::checked(const char* call, milliseconds limit, const std::function<nccl::Result()>& body) {
  const CallWatch watch;
  const nccl::Result result = body();
  if (const milliseconds blocked = watch.blocked(); blocked > limit)
    meeting_.faults.add(fmt::format("{} blocked for more than {} ms", call, limit.count()));
  if (result != nccl::Result::kSuccess)
    meeting_.faults.add(fmt::format("{} returned {}", call, static_cast<int>(result)));
  if (result != nccl::Result::kSuccess) meeting_.giveUp();
}

bool NetRank::join() {
  Result<void*> context = host_.join(0x706f6c79);
  if (!context.ok()) meeting_.faults.add(context.message());
  joined_ = context.ok();
  if (joined_) context_ = context.value();
  return joined_;
}

void NetRank::hint(bool known) {
  if (!host_.calls().setNetAttr) return;
  constexpr int32_t kUnknown = nccl::kNetUndefined;
  const nccl::NetCommAttrV11 comm =
      known ? nccl::NetCommAttrV11{8, 1, 8, 1} : nccl::NetCommAttrV11{kUnknown, kUnknown, kUnknown, kUnknown};
  const auto bit = [&](int one) { return known ? 1u << one : static_cast<uint32_t>(kUnknown); };
  nccl::NetAttr attributes = {comm, comm, bit(4), bit(1), bit(2)};
  host_.calls().setNetAttr(context_, &attributes);  // NCCL ignores what it returns
}

bool NetRank::listenAll() {
  for (Connection& c : connections_) {
    if (!c.incoming) continue;
    checked("listen", mayBlock(),
            [&] { return host_.calls().listen(context_, c.plan->device, c.handle, &c.listenComm); });
    if (c.listenComm) meeting_.publish(c.index, c.handle);
  }
  return !meeting_.over();
}

// True when it is, or already was, connected.
bool NetRank::connectOnce(Connection& c) {
  if (c.comm) return true;
  if (!c.haveHandle && !(c.haveHandle = meeting_.fetch(c.index, c.handle))) return false;
  hint(false);
  nccl::NetCommConfig config = host_.config();
  nccl::NetDeviceHandle* none = nullptr;
  checked("connect", mayBlock(),
          [&] { return host_.calls().connect(context_, c.plan->device, &config, c.handle, &c.comm, &none); });
  if (c.comm) meeting_.moved();
  return c.comm != nullptr;
}

bool NetRank::acceptOnce(Connection& c) {
  if (c.comm) return true;
  hint(false);
  nccl::NetDeviceHandle* none = nullptr;
  checked("accept", mayBlock(), [&] { return host_.calls().accept(c.listenComm, &c.comm, &none); });
  if (!c.comm) return false;
  checked("closeListen", mayBlock(), [&] { return host_.calls().closeListen(c.listenComm); });
  c.listenComm = nullptr;
  meeting_.moved();
  return true;
}

bool NetRank::connectAll() {
  if (!listenAll()) return false;
  for (bool all = false; !all;) {
    all = true;
    for (Connection& c : connections_) {
      if (meeting_.over()) {
        meeting_.faults.add("the connections did not come up in time");
        return false;
      }
      all &= c.incoming ? acceptOnce(c) : connectOnce(c);
    }
    if (!all) std::this_thread::sleep_for(kNothingToDo);
  }
  return true;
}

void NetRank::prepareBuffers() {
  for (Connection& c : connections_) {
    if (c.incoming)
      c.recv = std::make_unique<RecvProxy>(host_.calls(), c.comm, *c.plan, meeting_.faults);
    else
      c.send = std::make_unique<SendProxy>(host_.calls(), c.comm, *c.plan, meeting_.faults);
  }
}

NetRank::Round NetRank::round() {
  Round all;
  const CallWatch watch;
  for (Connection& c : connections_) {
    all.moved |= c.incoming ? c.recv->progress() : c.send->progress();
    all.whole &= c.incoming ? c.recv->finished() : c.send->finished();
    all.failed |= c.incoming ? c.recv->failed() : c.send->failed();
  }
  if (watch.blocked() > mayBlock()) meeting_.faults.add("isend, irecv, iflush or test blocked");
  return all;
}

bool NetRank::progress(const std::function<bool()>& until) {
  hint(true);
  while (!meeting_.over() && !(until && until())) {
    const Round now = round();
    if (now.whole) return true;
    if (now.failed) meeting_.giveUp();
    if (now.moved)
      meeting_.moved();
    else
      std::this_thread::sleep_for(kNothingToDo);
  }
  return false;
}

bool NetRank::moveData(const std::function<bool()>& until) {
  std::atomic<bool> stop = false;
  bool whole = false;
  std::thread thread([&] {
    whole = progress(until);
    stop = true;
  });
  if (plan_.registerMeanwhile) registerMeanwhile(stop);
  thread.join();
  return whole;
}

// On the comms that the progress thread is using: memory of its own, and the buffers in use a second time.
void NetRank::registerMeanwhile(const std::atomic<bool>& stop) {
  std::vector<char> memory(1 << 20);
  const NetCalls& calls = host_.calls();
  for (size_t round = 0; !stop && !connections_.empty() && !meeting_.over(); round++) {
    Connection& c = connections_[round % connections_.size()];
    void* whole = nullptr;
    void* part = nullptr;
    checked("regMr", mayBlock(),
            [&] { return calls.regMr(c.comm, memory.data(), memory.size(), nccl::kPtrHost, &whole); });
    checked("regMr of a part", mayBlock(),
            [&] { return calls.regMr(c.comm, memory.data() + 4096 + round % 64, 64, nccl::kPtrHost, &part); });
    if (meeting_.over()) return;
    registerAgain(c, c.incoming ? c.recv->memory() : c.send->memory());
    checked("deregMr", mayBlock(), [&] { return calls.deregMr(c.comm, whole); });
    checked("deregMr of a part", mayBlock(), [&] { return calls.deregMr(c.comm, part); });
  }
}

void NetRank::registerAgain(Connection& c, const Memory& inUse) {
  void* twin = nullptr;
  checked("regMr of what is registered", mayBlock(),
          [&] { return host_.calls().regMr(c.comm, inUse.data(), inUse.size(), nccl::kPtrHost, &twin); });
  if (!meeting_.over())
    checked("deregMr of one of two", mayBlock(), [&] { return host_.calls().deregMr(c.comm, twin); });
  if (!plan_.dmaBufMeanwhile) return;
  Memory gpu(host_.calls(), c.comm, Place::kGpuDmaBuf, 12'345);
  if (!gpu.registered() || !gpu.deregister()) meeting_.faults.add("regMrDmaBuf or its deregMr failed beside isend");
}

void NetRank::closeAll() {
  const NetCalls& calls = host_.calls();
  for (Connection& c : connections_) {
    if (c.send && !c.send->deregister()) meeting_.faults.add("deregMr of a send buffer failed");
    if (c.recv && !c.recv->deregister()) meeting_.faults.add("deregMr of a receive buffer failed");
  }
  for (Connection& c : connections_) {
    if (c.comm)
      checked(c.incoming ? "closeRecv" : "closeSend", mayClose(),
              [&] { return c.incoming ? calls.closeRecv(c.comm) : calls.closeSend(c.comm); });
    if (c.listenComm) checked("closeListen", mayClose(), [&] { return calls.closeListen(c.listenComm); });
  }
  connections_.clear();
}

void NetRank::leave() {
  if (!joined_) return;
  checked("finalize", mayClose(), [&] { return host_.leave(context_); });
}

}  // namespace polyrail::contract
