// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/cuda/driver.h"

#include <cstring>

#include "test/vgpu/cuda/device.h"
#include "test/vgpu/cuda/errors.h"
#include "test/vgpu/cuda/memory.h"

namespace polyrail::vgpu {

namespace {

int errorText(int error, const char** text) {
  *text = errorName(error);
  return kSuccess;
}

int deviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal >= 0 && ordinal < deviceCount() ? kSuccess : kInvalidDevice;
}

int deviceAsk(int* value, int attribute, int device) {
  *value = deviceAttribute(attribute, device);
  return kSuccess;
}

int deviceUuid(char* uuid, int device) {
  memset(uuid, device + 1, 16);
  return kSuccess;
}

// A context is its device's primary one: a number that is never null.
int contextCurrent(void** context) {
  *context = reinterpret_cast<void*>(static_cast<intptr_t>(currentDevice() + 1));
  return kSuccess;
}

int contextMakeCurrent(void* context) {
  const auto number = reinterpret_cast<intptr_t>(context);
  return number == 0 || chooseDevice(static_cast<int>(number) - 1) ? kSuccess : kInvalidValue;
}

int contextDevice(int* device) {
  *device = currentDevice();
  return kSuccess;
}

// CU_POINTER_ATTRIBUTE_*
int pointerAsk(void* out, int attribute, void* pointer) {
  const auto region = findRegion(pointer);
  if (!region) return kInvalidValue;
  switch (attribute) {
    case 2:  // memory type
      *static_cast<int*>(out) = region->type;
      return kSuccess;
    case 9:  // device
      *static_cast<int*>(out) = region->device;
      return kSuccess;
    case 10:  // fit for a classic IPC handle
      *static_cast<int*>(out) = region->backing && !region->mapped;
      return kSuccess;
    case 14:  // handle types: a descriptor
      *static_cast<unsigned long long*>(out) = region->mapped;
      return kSuccess;
    default: return kNotSupported;
  }
}

struct Entry {
  const char* name;
  void* function;
};

template <typename F>
void* address(F* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

void* driverFunction(const char* name) {
  static const Entry table[] = {
      {"cuGetErrorString", address(errorText)},
      {"cuGetErrorName", address(errorText)},
      {"cuDeviceGet", address(deviceGet)},
      {"cuDeviceGetAttribute", address(deviceAsk)},
      {"cuDeviceGetUuid", address(deviceUuid)},
      {"cuCtxGetCurrent", address(contextCurrent)},
      {"cuCtxSetCurrent", address(contextMakeCurrent)},
      {"cuCtxGetDevice", address(contextDevice)},
      {"cuPointerGetAttribute", address(pointerAsk)},
      {"cuLaunchKernelEx", address(driverLaunch)},
      {"cuMemGetAllocationGranularity", address(memGranularity)},
      {"cuMemCreate", address(memCreate)},
      {"cuMemRelease", address(memRelease)},
      {"cuMemAddressReserve", address(memAddressReserve)},
      {"cuMemAddressFree", address(memAddressFree)},
      {"cuMemMap", address(memMap)},
      {"cuMemUnmap", address(memUnmap)},
      {"cuMemSetAccess", address(memSetAccess)},
      {"cuMemRetainAllocationHandle", address(memRetain)},
      {"cuMemGetAllocationPropertiesFromHandle", address(memProperties)},
      {"cuMemExportToShareableHandle", address(memExport)},
      {"cuMemImportFromShareableHandle", address(memImport)},
      {"cuMemGetAddressRange", address(memAddressRange)},
      {"cuMemGetHandleForAddressRange", address(memRangeHandle)},
  };
  for (const Entry& entry : table) {
    if (strcmp(entry.name, name) == 0) return entry.function;
  }
  return nullptr;
}

}  // namespace polyrail::vgpu

using namespace polyrail::vgpu;

// A function that is missing is no error: the status says so (1, cudaDriverEntryPointSymbolNotFound).
VGPU_API int cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long, int* status) {
  *function = driverFunction(name);
  if (status) *status = *function ? 0 : 1;
  return kSuccess;
}

VGPU_API int cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned, unsigned long long flags,
                                              int* status) {
  return cudaGetDriverEntryPoint(name, function, flags, status);
}
