// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/cuda/launch.h"

#include <map>
#include <mutex>

namespace polyrail::vgpu {

namespace {

struct Kernels {
  std::mutex mutex;
  std::map<const void*, Kernel*> symbols;
  std::map<std::string, KernelFactory> families;
};

// Registration runs in static constructors of other objects, so this cannot be one itself.
Kernels& kernels() {
  static Kernels* const one = new Kernels;
  return *one;
}

KernelFactory factoryFor(const std::string& name) {
  Kernels& all = kernels();
  const std::lock_guard lock(all.mutex);
  for (const auto& [family, factory] : all.families) {
    if (name.find(family) != std::string::npos) return factory;
  }
  return nullptr;
}

}  // namespace

void registerKernels(const char* family, KernelFactory factory) {
  Kernels& all = kernels();
  const std::lock_guard lock(all.mutex);
  all.families[family] = factory;
}

void registerSymbol(const void* symbol, const char* name) {
  Kernels& all = kernels();
  const std::lock_guard lock(all.mutex);
  Kernel*& kernel = all.symbols[symbol];
  if (!kernel) kernel = new Kernel{name};
}

Kernel* kernelOf(const void* symbol) {
  Kernels& all = kernels();
  const std::lock_guard lock(all.mutex);
  const auto found = all.symbols.find(symbol);
  return found == all.symbols.end() ? nullptr : found->second;
}

int launchKernel(Launch launch, Stream& stream) {
  const KernelFactory factory = factoryFor(launch.name);
  Task task = factory ? factory(launch) : nullptr;
  if (!task) return kNotSupported;
  push(stream, std::move(task));
  return kSuccess;
}

}  // namespace polyrail::vgpu
