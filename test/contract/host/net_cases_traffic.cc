// SPDX-License-Identifier: Apache-2.0
// Cases of the data path.
#include "test/contract/host/net_alone.h"
#include "test/contract/host/net_ranks.h"

namespace polyrail::contract {
namespace {

constexpr size_t kKiB = 1024, kMiB = 1024 * kKiB;

LinkPlan oneWay(std::vector<size_t> sizes, size_t capacity) {
  LinkPlan link;
  link.subs.push_back({0, std::move(sizes)});
  link.capacity = capacity;
  return link;
}

std::string everySize(const CaseContext& context, Faults& faults) {
  std::vector<size_t> sizes = {0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 63, 64, 65, 127, 128, 129, 255, 4095, 4096, 4097};
  const size_t most = 4 * kMiB / context.share;
  for (size_t size = 8 * kKiB; size <= most; size *= 2)
    for (const size_t near : {size - 1, size, size + 1}) sizes.push_back(std::min(near, most));
  TrafficPlan plan;
  plan.links.push_back(oneWay(sizes, most));
  runAsThreads(context, plan, faults);
  return "";
}

std::string emptyMessages(const CaseContext& context, Faults& faults) {
  TrafficPlan plan;
  plan.links.push_back(oneWay(std::vector<size_t>(context.messages(50), 0), 4 * kKiB));
  runAsThreads(context, plan, faults);
  return "";
}

std::string manyMessages(const CaseContext& context, Faults& faults) {
  TrafficPlan plan;
  addLinks(plan, 0, 1, 2, context.messages(1000), 20 * kKiB);
  addLinks(plan, 1, 0, 2, context.messages(1000), 20 * kKiB);
  runAsThreads(context, plan, faults);
  return "";
}

// What device 0 says of itself; zeros when the plugin does not come up.
nccl::NetPropertiesV12 propertiesOf(const CaseContext& context, Faults& faults) {
  const Alone alone(context, faults);
  return alone.up() ? alone.host().properties(0) : nccl::NetPropertiesV12{};
}

std::string sharedComm(const CaseContext& context, Faults& faults) {
  const int most = propertiesOf(context, faults).maxRecvs;
  if (most < 2) return "the plugin receives one message at a time (maxRecvs)";
  TrafficPlan plan;
  for (int group = 2; group <= most; group += most == 2 ? 1 : (most - 2) / 2 + most % 2) {
    LinkPlan link;
    link.seed = static_cast<uint64_t>(group), link.capacity = 16 * kKiB;
    for (int i = 0; i < group; i++)  // of unequal lengths, so that groups shrink
      link.subs.push_back({(i * 5 + 3) % 16, mixedSizes(context.messages(static_cast<size_t>(150 + 37 * i)),
                                                        12 * kKiB, link.seed * 100 + static_cast<uint64_t>(i))});
    plan.links.push_back(std::move(link));
  }
  runAsThreads(context, plan, faults);
  return "";
}

std::string optionalCompletion(const CaseContext& context, Faults& faults) {
  TrafficPlan plan;
  for (const int device : {0, 0}) {
    LinkPlan link = oneWay({}, 64 * kKiB);
    link.device = device, link.lines = true, link.seed = plan.links.size() + 1;
    for (size_t size : mixedSizes(context.messages(300), 60 * kKiB, link.seed))
      link.subs[0].sizes.push_back(size / 128 * 128);
    plan.links.push_back(std::move(link));
  }
  runAsThreads(context, plan, faults);
  return "";
}

std::string placed(const CaseContext& context, Place place, Faults& faults) {
  const int most = propertiesOf(context, faults).maxRecvs;
  TrafficPlan plan;
  for (int group = 1; group <= most && group <= 4; group += 3) {
    LinkPlan link;
    link.seed = static_cast<uint64_t>(group), link.capacity = 16 * kKiB, link.place = place;
    for (int i = 0; i < group; i++)
      link.subs.push_back({i, mixedSizes(context.messages(static_cast<size_t>(100 + 20 * i)), 16 * kKiB,
                                         link.seed * 100 + static_cast<uint64_t>(i))});
    plan.links.push_back(std::move(link));
  }
  runAsThreads(context, plan, faults);
  return "";
}

std::string gpuMemory(const CaseContext& context, Faults& faults) {
  if (!(propertiesOf(context, faults).ptrSupport & nccl::kPtrCuda)) return "the plugin takes no GPU memory here";
  return placed(context, Place::kGpu, faults);
}

// On hardware a memfd is no DMA-BUF, and there is none without a GPU: only software NICs take it.
bool takesMemfd(const CaseContext& context, Faults& faults) {
  if (!(propertiesOf(context, faults).ptrSupport & nccl::kPtrDmaBuf)) return false;
  Alone alone(context, faults);
  if (!alone.up()) return false;
  NetPair pair(alone.host(), alone.context(), 0, context.patience, faults);
  if (!pair.up()) return false;
  Memory memory(alone.calls(), pair.send(), Place::kGpuDmaBuf, 10'000);
  return memory.registered() && memory.deregister();
}

std::string dmaBuf(const CaseContext& context, Faults& faults) {
  if (!takesMemfd(context, faults)) return "the plugin takes no DMA-BUF here, or none that is a memfd";
  return placed(context, Place::kGpuDmaBuf, faults);
}

std::string registrationMeanwhile(const CaseContext& context, Faults& faults) {
  TrafficPlan plan;
  addLinks(plan, 0, 1, 2, context.messages(400), 64 * kKiB);
  plan.registerMeanwhile = true, plan.dmaBufMeanwhile = takesMemfd(context, faults);
  runAsThreads(context, plan, faults);
  return "";
}

// Every rank to both neighbours, two channels each way.
TrafficPlan ring(int ranks, size_t messages) {
  TrafficPlan plan;
  plan.ranks = ranks;
  for (int r = 0; r < ranks; r++) {
    addLinks(plan, r, (r + 1) % ranks, 2, messages, 32 * kKiB);
    addLinks(plan, (r + 1) % ranks, r, 1, messages, 32 * kKiB);
  }
  return plan;
}

std::string ringOfThreads(const CaseContext& context, Faults& faults) {
  runAsThreads(context, ring(context.ranks, context.messages(100)), faults);
  return "";
}

std::string ringOfProcesses(const CaseContext& context, Faults& faults) {
  runAsProcesses(context, ring(context.ranks, context.messages(100)), faults);
  return "";
}

constexpr NetCase kCases[] = {
    {"every-size", "0 bytes to 4 MiB arrive whole, in buffers larger than the message", everySize},
    {"empty-messages", "messages of 0 bytes complete", emptyMessages},
    {"many-messages", "8 in flight each way; a request that cannot be made is made again", manyMessages},
    {"shared-comm", "grouped receives; senders told apart by tags; groups that shrink", sharedComm},
    {"optional-completion", "LL128's lines arrive untorn; the mark in *request is understood", optionalCompletion},
    {"gpu-memory", "GPU memory by regMr, whole after its flush; sizes of 0 among the flushed", gpuMemory},
    {"dma-buf", "GPU memory by regMrDmaBuf, an odd size, the descriptor closed at once", dmaBuf},
    {"register-meanwhile", "regMr and deregMr while the progress thread sends, the same memory twice",
     registrationMeanwhile},
    {"ring-of-threads", "ranks as threads that share the library", ringOfThreads},
    {"ring-of-processes", "ranks as processes", ringOfProcesses},
};

}  // namespace

std::span<const NetCase> trafficCases() { return kCases; }

}  // namespace polyrail::contract
