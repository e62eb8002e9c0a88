// SPDX-License-Identifier: Apache-2.0
// The buffers of one end of a comm: so many slots of one size in one piece of memory, host's or GPU's, registered
// with the comm until the object goes. Reading and writing hides where they are. One thread; the comm must outlive
// it.
#pragma once

#include <memory>
#include <vector>

#include "cli/perf/cuda.h"
#include "cli/perf/pattern.h"
#include "cli/perf/plugin.h"

namespace polyrail::cli {

struct SlotPlan {
  size_t size;  // of a message
  int count;
  int ptrSupport;              // of the device
  std::shared_ptr<Cuda> cuda;  // null: host memory
};

class Slots {
 public:
  static Result<std::unique_ptr<Slots>> make(const PerfPlugin& plugin, void* comm, const SlotPlan& plan);
  ~Slots();
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;

  int count() const { return plan_.count; }
  size_t size() const { return plan_.size; }
  // What a receive may take: one byte at least, for the mark that ends a series.
  size_t capacity() const { return plan_.size > 0 ? plan_.size : 1; }
  bool onGpu() const { return plan_.cuda != nullptr; }
  void* at(int slot) const;
  void* mhandle() const { return mhandle_; }
  // How the memory was registered: "host", "DMA-BUF" or "peermem".
  const char* way() const { return way_; }

  Status fill(int slot, uint64_t pattern);
  // Offset of the first byte from `from` on that is not the pattern's, or size(). An error is the GPU's.
  Result<size_t> firstWrong(int slot, uint64_t pattern, size_t from);

 private:
  Slots(const PerfPlugin& plugin, void* comm, SlotPlan plan) : plugin_(plugin), comm_(comm), plan_(std::move(plan)) {}
  size_t stride() const;
  size_t total() const { return stride() * static_cast<size_t>(plan_.count); }
  Status allocate();
  Status enroll();
  Status enrollDmaBuf();
  Status enrollAs(int type);

  const PerfPlugin& plugin_;
  void* comm_;
  SlotPlan plan_;
  char* memory_ = nullptr;
  std::vector<char> mirror_;  // of one slot in GPU memory
  void* mhandle_ = nullptr;
  const char* way_ = "host";
};

}  // namespace polyrail::cli
