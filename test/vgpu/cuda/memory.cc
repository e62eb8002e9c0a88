// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/cuda/memory.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <map>
#include <mutex>

namespace polyrail::vgpu {

namespace {

struct Registry {
  std::mutex mutex;
  std::map<uintptr_t, Region> regions;
};

// Never destroyed: NCCL's threads may outlive static destructors.
Registry& registry() {
  static Registry* const one = new Registry;
  return *one;
}

// Each allocation holds a descriptor, so the soft limit is not enough for many ranks in one process.
void raiseFileLimit() {
  static const bool done = [] {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
      limit.rlim_cur = limit.rlim_max;
      setrlimit(RLIMIT_NOFILE, &limit);
    }
    return true;
  }();
  static_cast<void>(done);
}

size_t wholePages(size_t size) { return (size + 4095) / 4096 * 4096; }

}  // namespace

Backing::~Backing() {
  if (fd >= 0) close(fd);
}

Backing* holdBacking(const std::shared_ptr<Backing>& backing) {
  const std::lock_guard lock(registry().mutex);
  if (backing->handles++ == 0) backing->self = backing;
  return backing.get();
}

void dropBacking(Backing* backing) {
  std::shared_ptr<Backing> last;  // closed after the lock is left
  const std::lock_guard lock(registry().mutex);
  if (--backing->handles == 0) last = std::move(backing->self);
}

std::shared_ptr<Backing> makeBacking(size_t size, int device) {
  raiseFileLimit();
  auto backing = std::make_shared<Backing>();
  backing->fd = memfd_create("vgpu", MFD_CLOEXEC);
  backing->size = wholePages(size);
  backing->device = device;
  if (backing->fd < 0 || ftruncate(backing->fd, static_cast<off_t>(backing->size)) != 0) return nullptr;
  return backing;
}

void* mapBacking(const std::shared_ptr<Backing>& backing) {
  void* base = mmap(nullptr, backing->size, PROT_READ | PROT_WRITE, MAP_SHARED, backing->fd, 0);
  if (base == MAP_FAILED) return nullptr;
  addRegion({reinterpret_cast<uintptr_t>(base), backing->size, kDevice, backing->device, backing, false});
  return base;
}

void* allocateDevice(size_t size, int device) {
  const auto backing = makeBacking(size, device);
  return backing ? mapBacking(backing) : nullptr;
}

void* allocatePinned(size_t size) {
  const size_t bytes = wholePages(size);
  void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  addRegion({reinterpret_cast<uintptr_t>(base), bytes, kHost, 0, nullptr, false});
  return base;
}

bool release(void* pointer) {
  const auto region = findRegion(pointer);
  if (!region || region->base != reinterpret_cast<uintptr_t>(pointer) || region->mapped) return false;
  removeRegion(pointer);
  return munmap(pointer, region->size) == 0;
}

std::optional<Region> findRegion(const void* pointer) {
  Registry& all = registry();
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  const std::lock_guard lock(all.mutex);
  auto next = all.regions.upper_bound(address);
  if (next == all.regions.begin()) return std::nullopt;
  const Region& region = std::prev(next)->second;
  if (address >= region.base + region.size) return std::nullopt;
  return region;
}

void addRegion(const Region& region) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.regions[region.base] = region;
}

bool removeRegion(const void* base) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  return all.regions.erase(reinterpret_cast<uintptr_t>(base)) == 1;
}

size_t liveRegions() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  return all.regions.size();
}

size_t liveBytes() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  size_t sum = 0;
  for (const auto& [base, region] : all.regions) sum += region.type == kDevice ? region.size : 0;
  return sum;
}

}  // namespace polyrail::vgpu
