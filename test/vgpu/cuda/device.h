// SPDX-License-Identifier: Apache-2.0
// The virtual machine's GPUs: how many (VGPU_DEVICES, 8 if unset), what they answer when asked, and which one a
// thread has chosen. Every thread may call.
#pragma once

#include <string>

namespace polyrail::vgpu {

int deviceCount();
int currentDevice();
// False when there is no such device; the thread keeps its choice.
bool chooseDevice(int device);
// "0000:17:00.0" for device 0, the following buses for the others.
std::string pciBusId(int device);
int deviceOfBusId(const char* text);
// Value of a cudaDeviceAttr (CUdevice_attribute has the same numbers); 0 for those that nobody was seen to need.
int deviceAttribute(int attribute, int device);

// Compute capability: VGPU_SM (80 if unset, as an A100).
int computeCapability();
// What cudaDriverGetVersion says. From 12060 on NCCL would move its host memory to cuMem.
constexpr int kDriverVersion = 12040;
constexpr size_t kDeviceBytes = size_t{80} << 30;

}  // namespace polyrail::vgpu
