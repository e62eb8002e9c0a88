// SPDX-License-Identifier: Apache-2.0
#include "cli/perf/cuda.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace polyrail::cli {

// The driver's functions under the names that it exports; numbers are those of cuda.h (CUDA 12).
struct CudaCalls {
  void* library;
  int (*cuInit)(unsigned);
  int (*cuGetErrorString)(int, const char**);
  int (*cuDeviceGet)(int*, int);
  int (*cuDeviceGetAttribute)(int*, int, int);
  int (*cuDevicePrimaryCtxRetain)(void**, int);
  int (*cuDevicePrimaryCtxRelease)(int);
  int (*cuCtxSetCurrent)(void*);
  int (*cuMemAlloc)(uint64_t*, size_t);
  int (*cuMemFree)(uint64_t);
  int (*cuMemcpyHtoD)(uint64_t, const void*, size_t);
  int (*cuMemcpyDtoH)(void*, uint64_t, size_t);
  int (*cuPointerSetAttribute)(const void*, int, uint64_t);
  int (*cuMemGetHandleForAddressRange)(void*, uint64_t, size_t, int, unsigned long long);  // CUDA 11.7 and newer
};

namespace {

constexpr int kDmaBufSupported = 124;  // CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED
constexpr int kSyncMemops = 6;         // CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: GPUDirect RDMA asks for it
constexpr int kDmaBufHandle = 1;       // CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD
constexpr size_t kGrain = 2 << 20;     // allocations of whole 2 MiB begin on a page of the host's size

struct Symbol {
  const char* name;
  void** function;
  bool needed;
};

Status load(CudaCalls& c) {
  c.library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (c.library == nullptr)
    return Status::error(fmt::format("GPU memory needs NVIDIA's driver library: {}", dlerror()));
  const auto at = [](auto& function) { return reinterpret_cast<void**>(&function); };
  const Symbol symbols[] = {{"cuInit", at(c.cuInit), true},
                            {"cuGetErrorString", at(c.cuGetErrorString), true},
                            {"cuDeviceGet", at(c.cuDeviceGet), true},
                            {"cuDeviceGetAttribute", at(c.cuDeviceGetAttribute), true},
                            {"cuDevicePrimaryCtxRetain", at(c.cuDevicePrimaryCtxRetain), true},
                            {"cuDevicePrimaryCtxRelease_v2", at(c.cuDevicePrimaryCtxRelease), true},
                            {"cuCtxSetCurrent", at(c.cuCtxSetCurrent), true},
                            {"cuMemAlloc_v2", at(c.cuMemAlloc), true},
                            {"cuMemFree_v2", at(c.cuMemFree), true},
                            {"cuMemcpyHtoD_v2", at(c.cuMemcpyHtoD), true},
                            {"cuMemcpyDtoH_v2", at(c.cuMemcpyDtoH), true},
                            {"cuPointerSetAttribute", at(c.cuPointerSetAttribute), true},
                            {"cuMemGetHandleForAddressRange", at(c.cuMemGetHandleForAddressRange), false}};
  for (const Symbol& s : symbols)
    if ((*s.function = dlsym(c.library, s.name)) == nullptr && s.needed)
      return Status::error(fmt::format("libcuda.so.1 has no {}", s.name));
  return {};
}

}  // namespace

Cuda::Cuda(std::unique_ptr<CudaCalls> calls) : calls_(std::move(calls)) {}

Result<std::shared_ptr<Cuda>> Cuda::open(int gpu) {
  auto calls = std::make_unique<CudaCalls>();
  if (const Status s = load(*calls); !s.ok()) return s;
  std::shared_ptr<Cuda> cuda(new Cuda(std::move(calls)));
  if (const Status s = cuda->start(gpu); !s.ok()) return s;
  return cuda;
}

// The library stays: unloading a driver is nobody's habit.
Cuda::~Cuda() {
  if (retained_) calls_->cuDevicePrimaryCtxRelease(device_);
}

Status Cuda::checked(const char* call, int result) const {
  if (result == 0) return {};
  const char* text = nullptr;
  calls_->cuGetErrorString(result, &text);
  return Status::error(fmt::format("{}: {}", call, text ? text : std::to_string(result)));
}

Status Cuda::start(int gpu) {
  if (Status s = checked("cuInit", calls_->cuInit(0)); !s.ok()) return s;
  if (const Status s = checked("cuDeviceGet", calls_->cuDeviceGet(&device_, gpu)); !s.ok())
    return Status::error(fmt::format("GPU {}: {}", gpu, s.message()));
  void* context = nullptr;
  if (Status s = checked("cuDevicePrimaryCtxRetain", calls_->cuDevicePrimaryCtxRetain(&context, device_)); !s.ok())
    return s;
  retained_ = true;
  return checked("cuCtxSetCurrent", calls_->cuCtxSetCurrent(context));
}

Result<uint64_t> Cuda::allocate(size_t size) {
  uint64_t address = 0;
  const size_t whole = (size + kGrain - 1) / kGrain * kGrain;
  if (const Status s = checked("cuMemAlloc", calls_->cuMemAlloc(&address, whole)); !s.ok()) return s;
  const unsigned on = 1;
  if (const Status s = checked("cuPointerSetAttribute", calls_->cuPointerSetAttribute(&on, kSyncMemops, address));
      !s.ok())
    return release(address), s;
  return address;
}

void Cuda::release(uint64_t address) { calls_->cuMemFree(address); }

Status Cuda::toGpu(uint64_t to, const void* from, size_t size) {
  return checked("cuMemcpyHtoD", calls_->cuMemcpyHtoD(to, from, size));
}

Status Cuda::fromGpu(void* to, uint64_t from, size_t size) {
  return checked("cuMemcpyDtoH", calls_->cuMemcpyDtoH(to, from, size));
}

Result<int> Cuda::dmaBuf(uint64_t address, size_t size) {
  int supported = 0;
  if (calls_->cuMemGetHandleForAddressRange == nullptr ||
      calls_->cuDeviceGetAttribute(&supported, kDmaBufSupported, device_) != 0 || !supported)
    return Status::error("this driver or GPU exports no DMA-BUF");
  int fd = -1;
  const size_t whole = (size + kGrain - 1) / kGrain * kGrain;
  const int result = calls_->cuMemGetHandleForAddressRange(&fd, address, whole, kDmaBufHandle, 0);
  if (const Status s = checked("cuMemGetHandleForAddressRange", result); !s.ok()) return s;
  return fd;
}

}  // namespace polyrail::cli
