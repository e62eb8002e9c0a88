// SPDX-License-Identifier: Apache-2.0
// libnvidia-ml.so.1: the few questions that NCCL cannot do without. No NVLinks here (a topology file may say
// otherwise); fabric and platform information are optional and missing. Any thread.
#include <cstdio>
#include <cstring>

#include "test/vgpu/cuda/device.h"

#define NVML_API extern "C" __attribute__((visibility("default")))

using polyrail::vgpu::computeCapability;
using polyrail::vgpu::deviceCount;
using polyrail::vgpu::deviceOfBusId;
using polyrail::vgpu::pciBusId;

namespace {

enum Result : int { kSuccess = 0, kInvalidArgument = 2, kNotSupported = 3, kNotFound = 6 };

void* handleOf(int device) { return reinterpret_cast<void*>(static_cast<intptr_t>(device + 1)); }
int deviceOf(void* handle) { return static_cast<int>(reinterpret_cast<intptr_t>(handle)) - 1; }

// nvmlPciInfo_t: the short bus id, domain, bus, device, ids, then the bus id of 32 characters.
struct PciInfo {
  char shortId[16];
  unsigned domain, bus, device, vendor, subsystem;
  char busId[32];
};

}  // namespace

NVML_API int nvmlInit_v2() { return kSuccess; }
NVML_API int nvmlShutdown() { return kSuccess; }
NVML_API const char* nvmlErrorString(int error) { return error == kSuccess ? "Success" : "not supported here"; }

NVML_API int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(deviceCount());
  return kSuccess;
}

NVML_API int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** handle) {
  *handle = handleOf(static_cast<int>(index));
  return index < static_cast<unsigned>(deviceCount()) ? kSuccess : kInvalidArgument;
}

NVML_API int nvmlDeviceGetHandleByIndex(unsigned index, void** handle) {
  return nvmlDeviceGetHandleByIndex_v2(index, handle);
}

NVML_API int nvmlDeviceGetHandleByPciBusId_v2(const char* text, void** handle) {
  const int device = deviceOfBusId(text);
  *handle = handleOf(device);
  return device < 0 ? kNotFound : kSuccess;
}

NVML_API int nvmlDeviceGetHandleByPciBusId(const char* text, void** handle) {
  return nvmlDeviceGetHandleByPciBusId_v2(text, handle);
}

NVML_API int nvmlDeviceGetIndex(void* handle, unsigned* index) {
  *index = static_cast<unsigned>(deviceOf(handle));
  return kSuccess;
}

NVML_API int nvmlDeviceGetCudaComputeCapability(void*, int* major, int* minor) {
  *major = computeCapability() / 10;
  *minor = computeCapability() % 10;
  return kSuccess;
}

// NCCL asks for all pairs; 0 is "fine".
NVML_API int nvmlDeviceGetP2PStatus(void*, void*, int, int* status) {
  *status = 0;
  return kSuccess;
}

NVML_API int nvmlDeviceGetNvLinkState(void*, unsigned, int*) { return kNotSupported; }
NVML_API int nvmlDeviceGetNvLinkCapability(void*, unsigned, int, unsigned*) { return kNotSupported; }
NVML_API int nvmlDeviceGetNvLinkRemotePciInfo_v2(void*, unsigned, PciInfo*) { return kNotSupported; }

NVML_API int nvmlDeviceGetPciInfo_v3(void* handle, PciInfo* out) {
  *out = {};
  const std::string id = pciBusId(deviceOf(handle));
  snprintf(out->busId, sizeof out->busId, "%s", id.c_str());
  snprintf(out->shortId, sizeof out->shortId, "%s", id.c_str());
  return kSuccess;
}
