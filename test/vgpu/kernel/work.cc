// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/kernel/work.h"

namespace polyrail::vgpu {

namespace {

// Elements a grain of a chunk's size is (ncclProtoGrainSize).
size_t grainOf(int protocol, size_t element) {
  constexpr size_t kGrains[] = {16, 1920, 512};
  return kGrains[protocol] / element;
}

uint64_t argumentOf(const Layout& layout, const Function& function, const char* work) {
  const auto value = load<uint64_t>(work, layout.collective.argument);
  if (!loadBits(work, layout.collective.argumentIsPointer)) return value;
  uint64_t scalar = 0;
  memcpy(&scalar, reinterpret_cast<const void*>(value), sizeOf(function.type));
  return scalar;
}

// This channel's share: the first and the last channel have shares of their own size, those between an equal one.
void takeShare(const Layout& layout, const Function& function, const char* at, int channel, Work* work) {
  const CollectiveLayout& l = layout.collective;
  const int low = load<uint8_t>(at, 0), high = load<uint8_t>(at, 1);
  const auto first = load<size_t>(at, l.countLow), middle = load<size_t>(at, l.countMiddle);
  const auto last = load<size_t>(at, l.countHigh);
  const auto between = static_cast<size_t>(high - low - 1);  // -1 when it is alone: then `middle` is 0
  const size_t grain = grainOf(function.protocol, sizeOf(function.type));
  work->total = first + middle * between + last;
  if (channel == low) {
    work->offset = 0, work->count = first, work->chunk = loadBits(at, l.grainsLow) * grain;
  } else if (channel == high) {
    work->offset = first + between * middle, work->count = last, work->chunk = loadBits(at, l.grainsHigh) * grain;
  } else {
    work->offset = first + static_cast<size_t>(channel - low - 1) * middle;
    work->count = middle, work->chunk = loadBits(at, l.grainsMiddle) * grain;
  }
}

}  // namespace

Work workOf(const Layout& layout, const Function& function, const char* at, int channel) {
  const CollectiveLayout& l = layout.collective;
  Work work;
  work.root = load<int>(at, l.root);
  work.input = load<char*>(at, l.input);
  work.output = load<char*>(at, l.output);
  work.registered = loadBits(at, l.networkRegistered) != 0;
  work.oneRankPerNode = loadBits(at, l.oneRankPerNode) != 0;
  work.reduction = {function.type, function.op, argumentOf(layout, function, at), layout.signedDivisor};
  takeShare(layout, function, at, channel, &work);
  return work;
}

}  // namespace polyrail::vgpu
