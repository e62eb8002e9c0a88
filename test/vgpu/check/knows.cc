// SPDX-License-Identifier: Apache-2.0
// usage: vgpu-knows VERSION ("2.29.7"): exit status 0 when kernel/layout.cc has its row.
#include <cstdio>

#include "test/vgpu/kernel/layout.h"

int main(int count, char** words) {
  int major = 0, minor = 0, patch = 0;
  if (count != 2 || sscanf(words[1], "%d.%d.%d", &major, &minor, &patch) != 3) return 2;
  return polyrail::vgpu::layoutOf(major * 10000 + minor * 100 + patch) ? 0 : 1;
}
