// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/kernel/block.h"

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "test/vgpu/kernel/collective.h"
#include "test/vgpu/kernel/p2p.h"
#include "test/vgpu/kernel/work.h"

namespace polyrail::vgpu {

namespace {

// ncclDevKernelArgs, the same in every version so far; ncclDevWorkBatch (16 bytes each) follows.
enum ArgumentOffset : unsigned {
  kComm = 0,
  kChannelMask = 8,
  kStorage = 16,
  kWorkMask = 20,
  kWorkBuffer = 24,
  kBatches = 32
};
constexpr unsigned kBatchBytes = 16;
constexpr int kInArguments = 0, kInQueue = 1;  // ncclDevWorkStorageType
enum WorkType : uint64_t { kP2pWork = 0, kCollectiveWork = 1, kRegisteredWork = 2 };

// The first 32 bits of a batch.
struct BatchWord {
  uint32_t jump, extends, type, function;
};

BatchWord batchWord(const char* batch) {
  const auto word = load<uint32_t>(batch, 0);
  return {word & 0x3fff, word >> 14 & 1, word >> 15 & 3, word >> 17};
}

// VGPU_TRACE=1: one line a batch and channel on stderr, "vgpu: rank 0 channel 1 runs AllReduce RING LL Sum f32".
bool tracing() {
  static const bool on = getenv("VGPU_TRACE") != nullptr;
  return on;
}

size_t sizeOfWork(const Layout& layout, uint32_t type) {
  if (type == kP2pWork) return layout.p2p.size;
  return type == kCollectiveWork ? layout.collective.size : layout.collective.registeredSize;
}

}  // namespace

KernelLaunch::KernelLaunch(const Library& library, std::vector<char> arguments)
    : library_(library), arguments_(std::move(arguments)) {}

std::shared_ptr<KernelLaunch> KernelLaunch::make(const Library& library, std::vector<char> arguments) {
  std::shared_ptr<KernelLaunch> launch(new KernelLaunch(library, std::move(arguments)));
  return launch->understands() ? launch : nullptr;
}

const char* KernelLaunch::work(uint32_t offset) const {
  const char* args = arguments_.data();
  if (load<uint8_t>(args, kStorage) == kInArguments) return args + offset;
  return load<char*>(args, kWorkBuffer) + (offset & load<uint32_t>(args, kWorkMask));
}

// A block's list: batches that extend the one before are one with it.
std::vector<Batch> KernelLaunch::batchesOf(unsigned block) const {
  std::vector<Batch> batches;
  Batch current;
  for (unsigned index = block;;) {
    const char* at = arguments_.data() + kBatches + index * kBatchBytes;
    const BatchWord word = batchWord(at);
    const auto base = load<uint32_t>(at, 4);
    const auto bits = load<uint64_t>(at, 8);
    const size_t size = sizeOfWork(*library_.layout, word.type);
    for (uint32_t i = 0; i < 64; ++i) {
      if (bits >> i & 1) current.works.push_back(work(base + i * static_cast<uint32_t>(size)));
    }
    current.consumed = base + (64 - static_cast<uint32_t>(std::countl_zero(bits))) * static_cast<uint32_t>(size);
    if (!word.extends) {
      functionOf(*library_.layout, library_.rowToId, static_cast<int>(word.function), &current.function);
      batches.push_back(std::move(current));
      current = {};
    }
    if (word.jump == 0) return batches;
    index += word.jump;
  }
}

bool KernelLaunch::understands() const {
  const int blocks = std::popcount(load<uint64_t>(arguments_.data(), kChannelMask));
  for (int block = 0; block < blocks; ++block) {
    for (unsigned index = static_cast<unsigned>(block);;) {
      const BatchWord word = batchWord(arguments_.data() + kBatches + index * kBatchBytes);
      Function function;
      if (!functionOf(*library_.layout, library_.rowToId, static_cast<int>(word.function), &function) ||
          !canRun(function) || word.type > kRegisteredWork) {
        fprintf(stderr, "vgpu: cannot run %s (function %u, work type %u)\n", nameOf(function).c_str(), word.function,
                word.type);
        return false;
      }
      if (word.jump == 0) break;
      index += word.jump;
    }
  }
  return true;
}

void KernelLaunch::runBlock(unsigned block, int channel) const {
  const ChannelView view(*library_.layout, load<char*>(arguments_.data(), kComm), channel);
  for (const Batch& batch : batchesOf(block)) {
    if (load<uint8_t>(arguments_.data(), kStorage) == kInQueue) view.postWorkConsumed(batch.consumed);
    if (view.aborted()) return;
    const Function& function = batch.function;
    if (tracing()) {
      fprintf(stderr, "vgpu: rank %d channel %d runs %s\n", view.rank(), channel, nameOf(function).c_str());
    }
    if (function.collective == kSendRecv) {
      runPointToPoint(view, batch.works);
      continue;
    }
    for (const char* at : batch.works) {
      const Work work = workOf(*library_.layout, function, at, channel);
      (function.algorithm == kTree ? runTree : runRing)(view, function, work);
    }
  }
}

void KernelLaunch::run() {
  std::vector<std::thread> threads;
  const auto mask = load<uint64_t>(arguments_.data(), kChannelMask);
  unsigned block = 0;
  for (int channel = 0; channel < 64; ++channel) {
    if (!(mask >> channel & 1)) continue;
    threads.emplace_back([this, block, channel] { runBlock(block, channel); });
    ++block;
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace polyrail::vgpu
