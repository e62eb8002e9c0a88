// SPDX-License-Identifier: Apache-2.0
// Registration of nvcc's kernels and their launch.
#include <cstring>

#include "test/vgpu/cuda/errors.h"
#include "test/vgpu/cuda/event.h"
#include "test/vgpu/cuda/launch.h"

using namespace polyrail::vgpu;

// The interpreter's way in: see test/vgpu/cuda/launch.h.
VGPU_API void vgpuRegisterKernels(const char* family, KernelFactory factory) { registerKernels(family, factory); }

VGPU_API void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}

VGPU_API void __cudaRegisterFatBinaryEnd(void**) {}
VGPU_API void __cudaUnregisterFatBinary(void**) {}
VGPU_API char __cudaInitModule(void**) { return 1; }
VGPU_API void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}

VGPU_API void __cudaRegisterFunction(void**, const char* symbol, char*, const char* name, int, void*, void*, void*,
                                     void*, int*) {
  registerSymbol(symbol, name);
}

// <<<>>> syntax: NCCL launches by cuLaunchKernelEx; its few kernels that do not are refused at their launch.
VGPU_API unsigned __cudaPushCallConfiguration(Dim3, Dim3, size_t, void*) { return 0; }
VGPU_API int __cudaPopCallConfiguration(Dim3* grid, Dim3* block, size_t* shared, void** stream) {
  *grid = *block = {1, 1, 1};
  *shared = 0;
  *stream = nullptr;
  return kSuccess;
}
VGPU_API int cudaLaunchKernel(const void*, Dim3, Dim3, void**, size_t, Stream*) { return done(kNotSupported); }

VGPU_API int cudaGetFuncBySymbol(Kernel** out, const void* symbol) {
  *out = kernelOf(symbol);
  return done(*out ? kSuccess : kNotFound);
}

VGPU_API int cudaFuncSetAttribute(const void*, int, int) { return kSuccess; }

// cudaFuncAttributes: sizes of shared, constant, local memory, then threads a block (offset 24), registers (28).
VGPU_API int cudaFuncGetAttributes(char* out, const void*) {
  memset(out, 0, 40);
  const int threads = 1024;
  memcpy(out + 24, &threads, sizeof threads);
  return kSuccess;
}

VGPU_API int cudaLaunchHostFunc(Stream* stream, HostFunction function, void* argument) {
  push(streamOf(stream), [function, argument] { function(argument); });
  return kSuccess;
}

namespace {

// `extra` is a list of marks and values: 1 the buffer, 2 its size, 0 the end (CU_LAUNCH_PARAM_*).
std::vector<char> argumentBytes(void** extra) {
  const char* bytes = nullptr;
  size_t size = 0;
  for (; extra && *extra; extra += 2) {
    if (*extra == reinterpret_cast<void*>(1)) bytes = static_cast<const char*>(extra[1]);
    if (*extra == reinterpret_cast<void*>(2)) size = *static_cast<const size_t*>(extra[1]);
  }
  return {bytes, bytes + size};
}

constexpr int kLaunchCompletionEvent = 12;  // CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT

}  // namespace

namespace polyrail::vgpu {

int driverLaunch(const LaunchConfig* config, Kernel* kernel, void** parameters, void** extra) {
  if (parameters) return kNotSupported;  // without `extra` the size of the arguments is not known
  Stream& stream = streamOf(config->stream);
  for (unsigned i = 0; i < config->attributeCount; ++i) {
    const LaunchAttribute& attribute = config->attributes[i];
    if (attribute.id == kLaunchCompletionEvent) attribute.launchCompletion.event->record(stream);
  }
  return launchKernel({kernel->name, config->grid[0], config->block[0], argumentBytes(extra)}, stream);
}

}  // namespace polyrail::vgpu
