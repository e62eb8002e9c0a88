// SPDX-License-Identifier: Apache-2.0
// The primitive of which NCCL's kernels are made: receive from some peers, reduce with a local input, store locally
// and send to other peers; each is optional. Three protocols move the data (src/device/prims_*.h): SIMPLE in steps of
// a buffer with counters, LL and LL128 in lines that carry their own flag. One thread per object; it holds the
// connections' step counters from construction to destruction.
#pragma once

#include <memory>
#include <vector>

#include "test/vgpu/kernel/element.h"
#include "test/vgpu/kernel/function.h"
#include "test/vgpu/kernel/view.h"

namespace polyrail::vgpu {

struct Step {
  size_t count = 0;              // elements
  const char* source = nullptr;  // local data that takes part
  bool sourceIsInput = false;    // the rank's own input, which the operator may scale first
  char* target = nullptr;        // where the result is stored locally
  char* registered = nullptr;    // the user's output at this place, for buffers that the NIC reaches itself
  bool receive = false;
  bool send = false;
  bool finish = false;  // apply the operator's end
};

// How the buffer's steps are used by SIMPLE: a chunk is `slices` slices of `steps` steps each.
struct Slicing {
  int slices = 1;
  int steps = 1;
};

struct Wiring {
  const ChannelView* channel = nullptr;
  std::vector<Connection> receivers, senders;
  Reduction reduction;
  Slicing slicing;
  size_t stepCount = 0;     // elements a step holds; 0: what the buffer's size gives
  bool registered = false;  // NCCL registered the user's buffers with the NIC
  bool pointToPoint = false;
};

class Primitives {
 public:
  explicit Primitives(Wiring wiring) : wiring_(std::move(wiring)), element_(sizeOf(wiring_.reduction.type)) {}
  virtual ~Primitives() = default;
  Primitives(const Primitives&) = delete;
  Primitives& operator=(const Primitives&) = delete;
  // Runs one step; false when the communicator was aborted meanwhile: then nothing more must be run.
  virtual bool run(const Step& step) = 0;

 protected:
  Wiring wiring_;
  const size_t element_;  // bytes
};

std::unique_ptr<Primitives> makePrimitives(int protocol, Wiring wiring);

// What is computed between receiving and sending: `inputs` are the received pieces, results go to all of `outputs`.
// Elements beyond `count` in the outputs keep what they had.
void combine(const Reduction& reduction, const Step& step, const char* source, const std::vector<const char*>& inputs,
             const std::vector<char*>& outputs, size_t count);

}  // namespace polyrail::vgpu
