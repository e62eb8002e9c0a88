// SPDX-License-Identifier: Apache-2.0
// libvgpu-kernel.so: the interpreter's door. NCCL (test/vgpu/kernel/face.cc, linked into it) says its version and
// gives its function table when it is loaded; the interpreter then offers NCCL's kernels to the runtime.
#include <cstdio>

#include "test/vgpu/cuda/launch.h"
#include "test/vgpu/kernel/block.h"

using namespace polyrail::vgpu;

extern "C" void vgpuRegisterKernels(const char* family, KernelFactory factory);

namespace {

Library& library() {
  static Library* const one = new Library;
  return *one;
}

Task makeTask(const Launch& launch) {
  if (!library().layout) return nullptr;
  const auto kernel = KernelLaunch::make(library(), launch.arguments);
  if (!kernel) return nullptr;
  return [kernel] { kernel->run(); };
}

}  // namespace

// A version without a layout is not run at all: every launch fails with 801, and this line says why.
VGPU_API void vgpuNcclLoaded(int version, const int* rowToId) {
  library() = {layoutOf(version), rowToId};
  if (!library().layout) fprintf(stderr, "vgpu: no layout for NCCL %d; see test/vgpu/kernel/layout.cc\n", version);
  vgpuRegisterKernels("ncclDevKernel_", makeTask);
}
