// SPDX-License-Identifier: Apache-2.0
#include "test/contract/plugins/reference_net/devices.h"

namespace reference {

using polyrail::nccl::Result;

namespace {

constexpr int kReal = 2, kMost = 10;  // real ones, and with the virtual ones
char names[kMost][5] = {"ref0", "ref1", "virt", "virt", "virt", "virt", "virt", "virt", "virt", "virt"};
Device all[kMost] = {{names[0], 10'000, 1, {0}}, {names[1], 10'000, 1, {1}}};
int count = kReal;

}  // namespace

Result devices(int* out) {
  *out = kReal;
  return Result::kSuccess;
}

const Device* deviceAt(int number) { return number >= 0 && number < count ? &all[number] : nullptr; }

Result fuse(int* device, int ndevs, const int* devs) {
  if (ndevs < 1 || ndevs > polyrail::nccl::kNetMaxDevsPerNicV11 || count == kMost) return Result::kInvalidArgument;
  Device made = {names[count], 0, ndevs, {}};
  for (int i = 0; i < ndevs; i++) {
    if (devs[i] < 0 || devs[i] >= kReal) return Result::kInvalidArgument;
    made.speed += all[devs[i]].speed;
    made.devs[i] = devs[i];
  }
  all[count] = made;
  *device = count++;
  return Result::kSuccess;
}

}  // namespace reference
