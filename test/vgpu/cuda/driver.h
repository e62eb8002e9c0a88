// SPDX-License-Identifier: Apache-2.0
// The driver's functions that NCCL asks for by name (cudaGetDriverEntryPoint); only those in the table of driver.cc
// exist, the others are "not found", as with an older driver. Every thread may call.
#pragma once

#include "test/vgpu/cuda/api.h"

namespace polyrail::vgpu {

// Null when there is no such function.
void* driverFunction(const char* name);

int driverLaunch(const LaunchConfig* config, Kernel* kernel, void** parameters, void** extra);

struct Backing;
using AllocationHandle = Backing*;  // CUmemGenericAllocationHandle
int memCreate(AllocationHandle* out, size_t size, const AllocationProperties* properties, unsigned long long flags);
int memRelease(AllocationHandle handle);
int memMap(void* at, size_t size, size_t offset, AllocationHandle handle, unsigned long long flags);
int memRetain(AllocationHandle* out, void* address);
int memProperties(AllocationProperties* out, AllocationHandle handle);
int memExport(void* out, AllocationHandle handle, int type, unsigned long long flags);
int memImport(AllocationHandle* out, void* descriptor, int type);
int memGranularity(size_t* out, const AllocationProperties* properties, int option);
int memAddressReserve(void** out, size_t size, size_t alignment, void* at, unsigned long long flags);
int memAddressFree(void* base, size_t size);
int memUnmap(void* at, size_t size);
int memSetAccess(void* at, size_t size, const void* access, size_t count);
int memAddressRange(void** base, size_t* size, void* address);
int memRangeHandle(void* out, void* address, size_t size, int type, unsigned long long flags);

}  // namespace polyrail::vgpu
