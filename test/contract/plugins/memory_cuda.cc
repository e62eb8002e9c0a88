// SPDX-License-Identifier: Apache-2.0
// As libcuda.so.1: a GPU whose memory is a mapping of a memfd that only these functions may touch, so far as a test
// can tell; its DMA-BUF is that memfd, which the emulated verbs accept. CUDA_DMABUF=0 makes it a driver that exports
// none. Enough for a program that allocates, copies and registers; from one thread.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>

namespace {

struct Allocation {
  size_t size;
  int fd;
};
std::map<uint64_t, Allocation> allocations;
constexpr int kInvalid = 1;

bool exportsDmaBuf() {
  const char* word = std::getenv("CUDA_DMABUF");
  return word == nullptr || std::strcmp(word, "0") != 0;
}

}  // namespace

#define EXPORT extern "C" [[gnu::visibility("default")]] int

EXPORT cuInit(unsigned) { return 0; }
EXPORT cuGetErrorString(int, const char** text) { return *text = "invalid argument", 0; }
EXPORT cuDeviceGet(int* device, int ordinal) { return *device = ordinal, ordinal == 0 ? 0 : kInvalid; }
EXPORT cuDeviceGetAttribute(int* value, int, int) { return *value = exportsDmaBuf(), 0; }
EXPORT cuDevicePrimaryCtxRetain(void** context, int) { return *context = &allocations, 0; }
EXPORT cuDevicePrimaryCtxRelease_v2(int) { return 0; }
EXPORT cuCtxSetCurrent(void*) { return 0; }
EXPORT cuPointerSetAttribute(const void*, int, uint64_t) { return 0; }

EXPORT cuMemAlloc_v2(uint64_t* address, size_t size) {
  const int fd = memfd_create("gpu", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, static_cast<off_t>(size)) != 0) return kInvalid;
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) return kInvalid;
  *address = reinterpret_cast<uint64_t>(memory);
  allocations[*address] = {size, fd};
  return 0;
}

EXPORT cuMemFree_v2(uint64_t address) {
  const auto found = allocations.find(address);
  if (found == allocations.end()) return kInvalid;
  munmap(reinterpret_cast<void*>(address), found->second.size);
  close(found->second.fd);
  allocations.erase(found);
  return 0;
}

EXPORT cuMemcpyHtoD_v2(uint64_t to, const void* from, size_t size) {
  return std::memcpy(reinterpret_cast<void*>(to), from, size), 0;
}
EXPORT cuMemcpyDtoH_v2(void* to, uint64_t from, size_t size) {
  return std::memcpy(to, reinterpret_cast<const void*>(from), size), 0;
}

EXPORT cuMemGetHandleForAddressRange(void* handle, uint64_t address, size_t size, int, unsigned long long) {
  const auto found = allocations.find(address);
  if (found == allocations.end() || size > found->second.size || address % 4096 != 0 || size % 4096 != 0)
    return kInvalid;
  *static_cast<int*>(handle) = dup(found->second.fd);
  return 0;
}
