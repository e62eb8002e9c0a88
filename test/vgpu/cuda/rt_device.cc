// SPDX-License-Identifier: Apache-2.0
// The runtime's questions about devices and versions.
#include <cstdio>
#include <cstring>

#include "test/vgpu/cuda/device.h"
#include "test/vgpu/cuda/errors.h"
#include "test/vgpu/cuda/memory.h"
#include "test/vgpu/cuda/stream.h"

using namespace polyrail::vgpu;

VGPU_API int cudaGetDeviceCount(int* count) {
  *count = deviceCount();
  return kSuccess;
}

VGPU_API int cudaGetDevice(int* device) {
  *device = currentDevice();
  return kSuccess;
}

VGPU_API int cudaSetDevice(int device) { return done(chooseDevice(device) ? kSuccess : kInvalidDevice); }
VGPU_API int cudaDeviceSetLimit(int, size_t) { return kSuccess; }
VGPU_API int cudaDeviceReset() { return kSuccess; }

VGPU_API int cudaDeviceSynchronize() {
  synchronizeDevice(currentDevice());
  return kSuccess;
}

VGPU_API int cudaDeviceGetAttribute(int* value, int attribute, int device) {
  if (device < 0 || device >= deviceCount()) return done(kInvalidDevice);
  *value = deviceAttribute(attribute, device);
  return kSuccess;
}

VGPU_API int cudaDeviceGetPCIBusId(char* text, int size, int device) {
  if (device < 0 || device >= deviceCount()) return done(kInvalidDevice);
  snprintf(text, static_cast<size_t>(size), "%s", pciBusId(device).c_str());
  return kSuccess;
}

VGPU_API int cudaDeviceGetByPCIBusId(int* device, const char* text) {
  *device = deviceOfBusId(text);
  return done(*device < 0 ? kInvalidDevice : kSuccess);
}

VGPU_API int cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  *can = device != peer;
  return kSuccess;
}

VGPU_API int cudaDeviceEnablePeerAccess(int, unsigned) { return kSuccess; }

VGPU_API int cudaDriverGetVersion(int* version) {
  *version = kDriverVersion;
  return kSuccess;
}

VGPU_API int cudaRuntimeGetVersion(int* version) {
  *version = kDriverVersion;
  return kSuccess;
}

VGPU_API int cudaMemGetInfo(size_t* free, size_t* total) {
  *total = kDeviceBytes;
  *free = kDeviceBytes - liveBytes();
  return kSuccess;
}

namespace {

// Leading fields of cudaDeviceProp, the same in CUDA 12 and 13; the rest stays as the caller has it.
int properties(char* out, int device) {
  if (device < 0 || device >= deviceCount()) return kInvalidDevice;
  const auto put = [out](size_t at, auto value) { memcpy(out + at, &value, sizeof value); };
  snprintf(out, 256, "Virtual GPU");
  memset(out + 256, device + 1, 16);  // uuid
  put(288, kDeviceBytes);
  put(308, 32);
  put(320, 1024);
  put(360, computeCapability() / 10);
  put(364, computeCapability() % 10);
  return kSuccess;
}

}  // namespace

VGPU_API int cudaGetDeviceProperties_v2(char* out, int device) { return done(properties(out, device)); }
VGPU_API int cudaGetDeviceProperties(char* out, int device) { return done(properties(out, device)); }
