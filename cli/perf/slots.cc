// SPDX-License-Identifier: Apache-2.0
#include "cli/perf/slots.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/output/units.h"

namespace polyrail::cli {
namespace {

constexpr size_t kPage = 4096;

uint64_t gpuAddress(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

}  // namespace

Result<std::unique_ptr<Slots>> Slots::make(const PerfPlugin& plugin, void* comm, const SlotPlan& plan) {
  std::unique_ptr<Slots> slots(new Slots(plugin, comm, plan));
  if (const Status s = slots->allocate(); !s.ok()) return s;
  if (const Status s = slots->enroll(); !s.ok()) return s;
  return slots;
}

Slots::~Slots() {
  if (mhandle_) plugin_.calls().deregMr(comm_, mhandle_);
  if (memory_ == nullptr) return;
  if (onGpu())
    plan_.cuda->release(gpuAddress(memory_));
  else
    munmap(memory_, total());
}

size_t Slots::stride() const { return (capacity() + kPage - 1) / kPage * kPage; }

void* Slots::at(int slot) const { return memory_ + stride() * static_cast<size_t>(slot); }

Status Slots::allocate() {
  if (onGpu()) {
    const Result<uint64_t> address = plan_.cuda->allocate(total());
    if (!address.ok()) return address.status();
    memory_ = reinterpret_cast<char*>(address.value());
    mirror_.resize(plan_.size);
    return {};
  }
  void* memory = mmap(nullptr, total(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return Status::error(fmt::format("{} of memory: {}", humanBytes(total()), std::strerror(errno)));
  memory_ = static_cast<char*>(memory);
  std::memset(memory_, 0, total());
  return {};
}

// As NCCL: DMA-BUF where the device says that it can, else the driver's peermem.
Status Slots::enroll() {
  if (!onGpu()) return enrollAs(nccl::kPtrHost);
  Status dmaBuf = Status::error("the plugin's device takes no DMA-BUF");
  if (plan_.ptrSupport & nccl::kPtrDmaBuf) dmaBuf = enrollDmaBuf();
  if (dmaBuf.ok()) return dmaBuf;
  if (plan_.ptrSupport & nccl::kPtrCuda)
    if (const Status peermem = enrollAs(nccl::kPtrCuda); peermem.ok()) return way_ = "peermem", peermem;
  return Status::error("GPU memory cannot be registered: " + dmaBuf.message() +
                       "; `polyrail rails` says what is missing");
}

Status Slots::enrollAs(int type) {
  const nccl::Result result = plugin_.calls().regMr(comm_, memory_, total(), type, &mhandle_);
  if (result == nccl::Result::kSuccess) return {};
  return Status::error("the plugin's regMr returned " + resultText(result));
}

Status Slots::enrollDmaBuf() {
  if (plugin_.calls().regMrDmaBuf == nullptr) return Status::error("the plugin has no regMrDmaBuf");
  const Result<int> fd = plan_.cuda->dmaBuf(gpuAddress(memory_), total());
  if (!fd.ok()) return fd.status();
  const nccl::Result result =
      plugin_.calls().regMrDmaBuf(comm_, memory_, total(), nccl::kPtrCuda, 0, fd.value(), &mhandle_);
  ::close(fd.value());  // as NCCL does, at once
  if (result != nccl::Result::kSuccess)
    return Status::error("the plugin's regMrDmaBuf returned " + resultText(result));
  way_ = "DMA-BUF";
  return {};
}

Status Slots::fill(int slot, uint64_t pattern) {
  if (!onGpu()) return fillPattern(at(slot), size(), pattern), Status();
  fillPattern(mirror_.data(), size(), pattern);
  return size() ? plan_.cuda->toGpu(gpuAddress(at(slot)), mirror_.data(), size()) : Status();
}

Result<size_t> Slots::firstWrong(int slot, uint64_t pattern, size_t from) {
  if (!onGpu()) return firstWrongByte(at(slot), size(), pattern, from);
  if (size() > 0)
    if (const Status s = plan_.cuda->fromGpu(mirror_.data(), gpuAddress(at(slot)), size()); !s.ok()) return s;
  return firstWrongByte(mirror_.data(), size(), pattern, from);
}

}  // namespace polyrail::cli
