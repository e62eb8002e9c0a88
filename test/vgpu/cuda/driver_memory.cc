// SPDX-License-Identifier: Apache-2.0
// The driver's virtual memory management: allocations that are made, mapped and shared separately.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "test/vgpu/cuda/device.h"
#include "test/vgpu/cuda/driver.h"
#include "test/vgpu/cuda/memory.h"

namespace polyrail::vgpu {

namespace {

constexpr size_t kGranularity = 2 << 20;  // as the hardware's
constexpr int kPosixDescriptor = 1;       // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
constexpr int kDmabufDescriptor = 1;      // CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD
constexpr int kLocationDevice = 1;        // CU_MEM_LOCATION_TYPE_DEVICE

}  // namespace

int memGranularity(size_t* out, const AllocationProperties*, int) {
  *out = kGranularity;
  return kSuccess;
}

int memCreate(AllocationHandle* out, size_t size, const AllocationProperties* properties, unsigned long long) {
  const bool device = properties->locationType == kLocationDevice;
  auto backing = makeBacking(size, device ? properties->locationId : 0);
  if (!backing) return kOutOfMemory;
  backing->host = !device;
  *out = holdBacking(backing);
  return kSuccess;
}

int memRelease(AllocationHandle handle) {
  dropBacking(handle);
  return kSuccess;
}

int memAddressReserve(void** out, size_t size, size_t, void*, unsigned long long) {
  *out = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return *out == MAP_FAILED ? kOutOfMemory : kSuccess;
}

int memAddressFree(void* base, size_t size) { return munmap(base, size) == 0 ? kSuccess : kInvalidValue; }

int memMap(void* at, size_t size, size_t offset, AllocationHandle handle, unsigned long long) {
  void* base = mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, handle->fd, static_cast<off_t>(offset));
  if (base == MAP_FAILED) return kInvalidValue;
  const MemoryType type = handle->host ? kHost : kDevice;
  addRegion({reinterpret_cast<uintptr_t>(at), size, type, handle->device, handle->self, true});
  return kSuccess;
}

int memUnmap(void* at, size_t size) {
  if (!removeRegion(at)) return kInvalidValue;
  void* base = mmap(at, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  return base == MAP_FAILED ? kInvalidValue : kSuccess;
}

int memSetAccess(void*, size_t, const void*, size_t) { return kSuccess; }

int memRetain(AllocationHandle* out, void* address) {
  const auto region = findRegion(address);
  if (!region || !region->mapped || !region->backing) return kInvalidValue;
  *out = holdBacking(region->backing);
  return kSuccess;
}

int memProperties(AllocationProperties* out, AllocationHandle handle) {
  *out = {1, kPosixDescriptor, handle->host ? 3 : kLocationDevice, handle->device};
  return kSuccess;
}

int memExport(void* out, AllocationHandle handle, int type, unsigned long long) {
  if (type != kPosixDescriptor) return kNotSupported;
  return (*static_cast<int*>(out) = fcntl(handle->fd, F_DUPFD_CLOEXEC, 0)) < 0 ? kOutOfMemory : kSuccess;
}

int memImport(AllocationHandle* out, void* descriptor, int type) {
  if (type != kPosixDescriptor) return kNotSupported;
  auto backing = std::make_shared<Backing>();
  backing->fd = fcntl(static_cast<int>(reinterpret_cast<intptr_t>(descriptor)), F_DUPFD_CLOEXEC, 0);
  struct stat status {};
  if (backing->fd < 0 || fstat(backing->fd, &status) != 0) return kInvalidValue;
  backing->size = static_cast<size_t>(status.st_size);
  backing->device = currentDevice();
  *out = holdBacking(backing);
  return kSuccess;
}

int memAddressRange(void** base, size_t* size, void* address) {
  const auto region = findRegion(address);
  if (!region) return kInvalidValue;
  if (base) *base = reinterpret_cast<void*>(region->base);
  if (size) *size = region->size;
  return kSuccess;
}

// A descriptor of its own whose file position is where the range begins: that is how the emulated verbs are told.
int memRangeHandle(void* out, void* address, size_t, int type, unsigned long long) {
  const auto region = findRegion(address);
  if (type != kDmabufDescriptor || !region || !region->backing) return kInvalidValue;
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", region->backing->fd);
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return kOutOfMemory;
  lseek(fd, static_cast<off_t>(reinterpret_cast<uintptr_t>(address) - region->base), SEEK_SET);
  *static_cast<int*>(out) = fd;
  return kSuccess;
}

}  // namespace polyrail::vgpu
