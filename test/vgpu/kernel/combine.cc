// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "test/vgpu/kernel/lines.h"
#include "test/vgpu/kernel/primitives.h"
#include "test/vgpu/kernel/simple.h"

namespace polyrail::vgpu {

void combine(const Reduction& reduction, const Step& step, const char* source, const std::vector<const char*>& inputs,
             const std::vector<char*>& outputs, size_t count) {
  if (outputs.empty() || count == 0) return;
  const size_t bytes = count * sizeOf(reduction.type);
  char* result = outputs.front();
  const char* first = source ? source : inputs.front();
  if (result != first) memmove(result, first, bytes);
  if (source && step.sourceIsInput) applyBefore(reduction, result, count);
  for (size_t i = source ? 0 : 1; i < inputs.size(); ++i) reduce(reduction, result, inputs[i], count);
  if (step.finish) applyAfter(reduction, result, count);
  for (size_t i = 1; i < outputs.size(); ++i) {
    if (outputs[i] != result) memcpy(outputs[i], result, bytes);
  }
}

std::unique_ptr<Primitives> makePrimitives(int protocol, Wiring wiring) {
  if (protocol == kSimple) return std::make_unique<Simple>(std::move(wiring));
  return std::make_unique<Lines>(std::move(wiring), protocol);
}

}  // namespace polyrail::vgpu
