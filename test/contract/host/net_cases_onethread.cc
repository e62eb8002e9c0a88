// SPDX-License-Identifier: Apache-2.0
// Cases of data that one thread moves at both ends.
#include <fmt/format.h>

#include <deque>

#include "test/contract/host/call_watch.h"
#include "test/contract/host/limits.h"
#include "test/contract/host/net_alone.h"
#include "test/contract/host/pair_traffic.h"
#include "test/contract/host/payload.h"

namespace polyrail::contract {
namespace {

using Clock = std::chrono::steady_clock;

std::string bootstrap(const CaseContext& context, Faults& faults) {
  Alone alone(context, faults);
  if (!alone.up()) return "";
  NetPair pair(alone.host(), alone.context(), 0, context.patience, faults);
  if (!pair.up()) return "";
  PairTraffic traffic(pair, Place::kHost, 1 << 20);
  for (const size_t size : {0u, 4u, 128u, 1000u, 65536u, 1u << 20, 1u})
    if (!traffic.exchange(size, 0x42, context.patience)) break;
  traffic.deregister();
  return "";
}

// Posts until the plugin has had enough, at most what NCCL ever has outstanding on a comm.
class Queues {
 public:
  Queues(PairTraffic& traffic, const NetCalls& calls, Faults& faults)
      : traffic_(traffic), calls_(calls), faults_(faults) {}

  // False at the first refusal, which is allowed as long as it is no error.
  bool post(bool sends) {
    void* request = nullptr;
    const CallWatch watch;
    const nccl::Result result = sends ? traffic_.send(64, 1, &request) : traffic_.receive(64, 1, &request);
    if (result != nccl::Result::kSuccess)
      faults_.add(fmt::format("{} returned {} with {} requests outstanding", sends ? "isend" : "irecv",
                              static_cast<int>(result), (sends ? sends_ : receives_).size()));
    if (watch.blocked() > mayBlock()) faults_.add(sends ? "isend blocked without a receive" : "irecv blocked");
    if (request) (sends ? sends_ : receives_).push_back(request), (sends ? sent_ : received_)++;
    return request != nullptr;
  }

  // As many of the one as of the other, until all are done.
  void drain(std::chrono::milliseconds patience) {
    const auto end = Clock::now() + patience;
    while (!faults_.any() && (sent_ != received_ || !sends_.empty() || !receives_.empty())) {
      if (sent_ != received_) post(sent_ < received_);
      testOldest(sends_), testOldest(receives_);
      if (Clock::now() > end) faults_.add("requests that were accepted do not complete");
    }
  }
  size_t sends() const { return sends_.size(); }
  size_t receives() const { return receives_.size(); }

 private:
  void testOldest(std::deque<void*>& requests) {
    if (requests.empty()) return;
    int done = 0;
    if (calls_.test(requests.front(), &done, nullptr) != nccl::Result::kSuccess) faults_.add("test failed");
    if (done) requests.pop_front();
  }
  PairTraffic& traffic_;
  const NetCalls& calls_;
  Faults& faults_;
  std::deque<void*> sends_, receives_;
  size_t sent_ = 0, received_ = 0;  // accepted so far
};

std::string fullQueues(const CaseContext& context, Faults& faults) {
  Alone alone(context, faults);
  if (!alone.up()) return "";
  NetPair pair(alone.host(), alone.context(), 0, context.patience, faults);
  if (!pair.up()) return "";
  PairTraffic traffic(pair, Place::kHost, 4096);
  Queues queues(traffic, alone.calls(), faults);
  const size_t most = alone.calls().abi == 6 ? nccl::kNetMaxRequestsV6 : nccl::kNetMaxRequests;
  for (int i = 0; i < 50 && queues.post(true) && queues.sends() < most; i++) continue;  // nothing is posted there yet
  // Null may also mean that the plugin's own thread is at work on the comm: NCCL asks again.
  for (const auto end = Clock::now() + context.patience; !queues.receives() && !faults.any() && Clock::now() < end;)
    queues.post(false);
  while (queues.receives() < most && queues.post(false)) continue;
  if (queues.receives() == 0) faults.add("irecv accepts nothing");
  for (int i = 0; i < 1000 && queues.sends() < queues.receives() && !faults.any(); i++) queues.post(true);
  queues.drain(context.patience);
  traffic.deregister();
  return "";
}

// The receiver gave less room than the message needs, an application's mistake: truncated or an error at either end,
// but nothing written outside.
std::string oversize(const CaseContext& context, Faults& faults) {
  Alone alone(context, faults);
  if (!alone.up()) return "";
  NetPair pair(alone.host(), alone.context(), 0, context.patience, faults);
  if (!pair.up()) return "";
  PairTraffic traffic(pair, Place::kHost, 8192);
  fillPayload(traffic.from().data(), 8192, 1);
  void *send = nullptr, *recv = nullptr;
  bool sent = false, verdict = false;
  int size[nccl::kNetMaxGroup] = {};
  const auto end = Clock::now() + context.patience;
  while (!verdict && Clock::now() < end) {
    int done = 0;
    verdict = (!recv && traffic.receive(4096, 3, &recv) != nccl::Result::kSuccess) ||
              (!send && traffic.send(8192, 3, &send) != nccl::Result::kSuccess) ||
              (send && !sent && alone.calls().test(send, &done, nullptr) != nccl::Result::kSuccess);
    sent |= done;
    done = 0;
    if (!verdict && recv) verdict = alone.calls().test(recv, &done, size) != nccl::Result::kSuccess || done;
  }
  if (!verdict) faults.add("neither end hears that a message does not fit");
  if (size[0] > 4096) faults.add(fmt::format("a receive with room for 4096 bytes was reported as {}", size[0]));
  if (firstTouchedByte(traffic.to().data() + 4096, 4096) != 4096)
    faults.add("a message that does not fit was written outside its receive");
  traffic.deregister();
  return "";
}

constexpr NetCase kCases[] = {
    {"bootstrap", "NCCL's bootstrap: both ends in one thread, null profiler handles, null sizes", bootstrap},
    {"full-queues", "requests run out: null, then accepted again; isend without a receive does not wait", fullQueues},
    {"oversize", "a message larger than its receive: an error or the part that fits, nothing outside", oversize},
};

}  // namespace

std::span<const NetCase> oneThreadCases() { return kCases; }

}  // namespace polyrail::contract
