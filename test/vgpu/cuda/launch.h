// SPDX-License-Identifier: Apache-2.0
// Kernels by name. nvcc's registration code tells the runtime which host symbol stands for which device function; who
// can run a family of kernels (the interpreter of NCCL's) registers a part of their names, which are mangled. The
// runtime knows nothing of what they do.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "test/vgpu/cuda/stream.h"

namespace polyrail::vgpu {

struct Kernel {
  std::string name;
};

// A launch: `grid` blocks with a copy of the argument bytes.
struct Launch {
  std::string name;
  unsigned grid = 1;
  unsigned block = 1;
  std::vector<char> arguments;
};

// Called at launch on the caller's thread; gives what the stream shall run, or nothing when it cannot run this
// launch: then the launch fails with 801, which NCCL reports, instead of hanging.
using KernelFactory = Task (*)(const Launch& launch);

void registerKernels(const char* family, KernelFactory factory);
void registerSymbol(const void* symbol, const char* name);
Kernel* kernelOf(const void* symbol);
int launchKernel(Launch launch, Stream& stream);

}  // namespace polyrail::vgpu
