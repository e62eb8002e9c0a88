// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/cuda/device.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace polyrail::vgpu {

namespace {

thread_local int chosen = 0;

int number(const char* variable, int fallback) {
  const char* text = getenv(variable);
  return text && *text ? atoi(text) : fallback;
}

constexpr int kFirstBus = 0x17;

struct Attribute {
  int id;
  int value;
};

// cudaDevAttr*/CU_DEVICE_ATTRIBUTE_* numbers of CUDA 12.
constexpr Attribute kAttributes[] = {
    {1, 1024},                 // threads per block
    {8, 48 << 10},             // shared memory per block
    {10, 32},                  // warp size
    {13, 1410000},             // clock, kHz
    {16, 108},                 // multiprocessors
    {36, 1215000},             // memory clock, kHz
    {37, 5120},                // memory bus width, bits
    {39, 2048},                // threads per multiprocessor
    {41, 1},                   // unified addressing
    {81, 164 << 10}, {91, 1},  // host pointers of registered memory are device pointers
    {95, 1},                   // cooperative launch
    {97, 163 << 10},           // shared memory per block, opt-in
    {102, 1},                  // virtual memory management
    {103, 1},                  // handle type: POSIX file descriptor
    {110, 1},                  // GPUDirect RDMA with virtual memory management
    {115, 1},                  // memory pools
    {116, 1},                  // GPUDirect RDMA
    {124, 1},                  // DMA-BUF
};

}  // namespace

int deviceCount() {
  static const int count = number("VGPU_DEVICES", 8);
  return count;
}

int currentDevice() { return chosen; }

bool chooseDevice(int device) {
  if (device < 0 || device >= deviceCount()) return false;
  chosen = device;
  return true;
}

std::string pciBusId(int device) {
  char text[32];
  snprintf(text, sizeof text, "0000:%02x:00.0", kFirstBus + device);
  return text;
}

int deviceOfBusId(const char* text) {
  for (int device = 0; device < deviceCount(); ++device) {
    if (strcasecmp(text, pciBusId(device).c_str()) == 0) return device;
  }
  return -1;
}

int computeCapability() {
  static const int value = number("VGPU_SM", 80);
  return value;
}

int deviceAttribute(int attribute, int device) {
  if (attribute == 33) return kFirstBus + device;
  if (attribute == 75) return computeCapability() / 10;
  if (attribute == 76) return computeCapability() % 10;
  if (attribute == 124 || attribute == 110 || attribute == 116) {
    static const bool direct = number("VGPU_GPUDIRECT", 1) != 0;
    static const bool dmabuf = direct && number("VGPU_DMABUF", 1) != 0;
    return attribute == 124 ? dmabuf : direct;
  }
  for (const Attribute& a : kAttributes) {
    if (a.id == attribute) return a.value;
  }
  return 0;
}

}  // namespace polyrail::vgpu
