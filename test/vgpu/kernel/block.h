// SPDX-License-Identifier: Apache-2.0
// A launch of one of NCCL's kernels: its arguments, the batches of each block, the works of each batch. Made at
// launch by the caller's thread, run later by a stream's thread with a thread a block.
#pragma once

#include <memory>
#include <vector>

#include "test/vgpu/kernel/function.h"
#include "test/vgpu/kernel/view.h"

namespace polyrail::vgpu {

// What a library called NCCL gives the interpreter once it is loaded; see test/vgpu/kernel/face.cc.
struct Library {
  const Layout* layout = nullptr;
  const int* rowToId = nullptr;
};

struct Batch {
  Function function;
  std::vector<const char*> works;  // in the arguments or in NCCL's queue
  uint32_t consumed = 0;           // how far the queue has been read, for NCCLs that ask
};

class KernelLaunch {
 public:
  // Null, with a line on stderr, when any batch asks for something that the interpreter cannot run.
  static std::shared_ptr<KernelLaunch> make(const Library& library, std::vector<char> arguments);
  void run();

 private:
  KernelLaunch(const Library& library, std::vector<char> arguments);
  bool understands() const;
  // Batches are read when they run: those in NCCL's queue may not be there yet at the launch of a captured graph.
  std::vector<Batch> batchesOf(unsigned block) const;
  void runBlock(unsigned block, int channel) const;
  const char* work(uint32_t offset) const;

  Library library_;
  std::vector<char> arguments_;
};

}  // namespace polyrail::vgpu
