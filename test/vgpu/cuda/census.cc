// SPDX-License-Identifier: Apache-2.0
// What of the runtime is alive, for tests that look for leaks. Any thread.
#include "test/vgpu/cuda/memory.h"
#include "test/vgpu/cuda/stream.h"

VGPU_API size_t vgpuLiveRegions() { return polyrail::vgpu::liveRegions(); }
VGPU_API size_t vgpuLiveStreams() { return polyrail::vgpu::liveStreams(); }
