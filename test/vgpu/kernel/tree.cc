// SPDX-License-Identifier: Apache-2.0
// AllReduce on a tree (src/device/all_reduce.h): up to the root and down again, at once, since chunks of the way down
// must flow while later ones still go up.
#include <algorithm>
#include <thread>

#include "test/vgpu/kernel/collective.h"

namespace polyrail::vgpu {

namespace {

constexpr int kChildren = 3;  // NCCL_MAX_TREE_ARITY

std::vector<int> childrenOf(const ChannelView& channel) {
  std::vector<int> children;
  for (int i = 0; i < kChildren && channel.treeDown(i) != -1; ++i) children.push_back(channel.treeDown(i));
  return children;
}

Wiring wiringOf(const ChannelView& channel, const Function& function, const Work& work, const std::vector<int>& from,
                const std::vector<int>& to) {
  Wiring wiring;
  wiring.channel = &channel;
  for (const int peer : from) wiring.receivers.push_back(channel.receiver(peer, 0));
  for (const int peer : to) wiring.senders.push_back(channel.sender(peer, 0));
  wiring.reduction = work.reduction;
  wiring.reduction.type = function.type;
  return wiring;
}

// Calls `step` for every chunk with its place in the buffers and its size.
template <typename F>
void eachChunk(const Work& work, F step) {
  for (size_t at = 0; at < work.count; at += work.chunk) {
    if (!step(work.offset + at, std::min(work.chunk, work.count - at))) return;
  }
}

}  // namespace

void runTree(const ChannelView& channel, const Function& function, const Work& work) {
  const size_t element = sizeOf(function.type);
  const std::vector<int> children = childrenOf(channel);
  if (channel.treeUp() == -1) {
    const auto peers = makePrimitives(function.protocol, wiringOf(channel, function, work, children, children));
    eachChunk(work, [&](size_t at, size_t count) {
      return peers->run({.count = count,
                         .source = work.input + at * element,
                         .sourceIsInput = true,
                         .target = work.output + at * element,
                         .receive = true,
                         .send = true,
                         .finish = true});
    });
    return;
  }
  const std::vector<int> parent{channel.treeUp()};
  std::thread down([&] {
    const auto peers = makePrimitives(function.protocol, wiringOf(channel, function, work, parent, children));
    eachChunk(work, [&](size_t at, size_t count) {
      return peers->run(
          {.count = count, .target = work.output + at * element, .receive = true, .send = !children.empty()});
    });
  });
  {
    const auto peers = makePrimitives(function.protocol, wiringOf(channel, function, work, children, parent));
    eachChunk(work, [&](size_t at, size_t count) {
      return peers->run({.count = count,
                         .source = work.input + at * element,
                         .sourceIsInput = true,
                         .receive = !children.empty(),
                         .send = true});
    });
  }
  down.join();
}

}  // namespace polyrail::vgpu
