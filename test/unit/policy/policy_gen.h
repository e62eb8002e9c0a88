// SPDX-License-Identifier: Apache-2.0
// Random policies that pass validatePolicy, for properties.
#pragma once

#include <rapidcheck.h>

#include "common/policy/model_constants.h"
#include "common/policy/policy.h"

namespace polyrail::test {

// Any name a file may hold, awkward ones included.
inline rc::Gen<std::string> anyName() {
  return rc::gen::element<std::string>("", "p5en", "two words", "quote \" and \\ slash", "tab\there", "naïve – ü",
                                       std::string("nul\0in it", 9));
}

inline double anyIn(double low, double high) { return low + (high - low) * (*rc::gen::inRange(0, 1'000'000) / 1e6); }

inline Range anyRange(uint64_t least) {
  const uint64_t min = least + *rc::gen::inRange<uint64_t>(0, 100);
  return {min, *rc::gen::arbitrary<bool>() ? kNoLimit : min + *rc::gen::inRange<uint64_t>(0, 100)};
}

template <typename Make>
auto maybe(Make make) -> std::optional<decltype(make())> {
  if (*rc::gen::arbitrary<bool>()) return std::nullopt;
  return make();
}

inline Choice anyChoice(nccl::Collective collective) {
  std::vector<Choice> kernels;
  for (int a = 0; a < nccl::kNumAlgorithms; a++)
    for (int p = 0; p < nccl::kNumProtocols; p++)
      if (hasKernel(collective, static_cast<nccl::Algorithm>(a), static_cast<nccl::Protocol>(p)))
        kernels.push_back({static_cast<nccl::Algorithm>(a), static_cast<nccl::Protocol>(p), {}, {}, {}});
  Choice c = *rc::gen::elementOf(kernels);
  c.channels = maybe([] { return *rc::gen::inRange(1, 65); });
  const uint64_t grain = static_cast<uint64_t>(nccl::kGrainBytes[static_cast<size_t>(c.protocol)]);
  if (c.channels) c.chunkBytes = maybe([&] { return grain * *rc::gen::inRange<uint64_t>(1, 1000); });
  c.time = maybe([] { return TimeModel{anyIn(kMinTimeUs, 1e4), anyIn(0, 1e4)}; });
  return c;
}

inline Evidence anyEvidence() {
  Evidence e;
  e.gain = anyIn(-2, 1);
  e.gainLow = anyIn(-2, 0.5);
  e.gainHigh = anyIn(0.5, 1);
  e.confidence = anyIn(0.5, 0.999);
  e.minimumDetectable = anyIn(0, 1);
  e.samples = *rc::gen::arbitrary<uint64_t>();
  e.candidates = *rc::gen::inRange<uint64_t>(0, 50);
  e.wrong = maybe([] { return *rc::gen::inRange<uint64_t>(0, 3); });
  e.ll128Default = *rc::gen::arbitrary<bool>();
  return e;
}

// Intervals that do not overlap, perhaps each with alternates for other conditions.
inline std::vector<Rule> anyRules(nccl::Collective collective, bool uniform) {
  std::vector<Rule> rules;
  uint64_t from = 0;
  const int count = *rc::gen::inRange(0, 6);
  for (int i = 0; i < count; i++) {
    from += *rc::gen::inRange<uint64_t>(0, 1 << 20);
    Rule rule;
    rule.from = from;
    from = rule.to = i + 1 == count && *rc::gen::arbitrary<bool>() ? kNoLimit : from + *rc::gen::inRange(1, 1 << 30);
    rule.evidence = maybe(anyEvidence);
    const int choices = *rc::gen::inRange(1, 4);
    for (int c = 0; c < choices; c++) rule.choices.push_back(anyChoice(collective));
    if (*rc::gen::arbitrary<bool>()) {
      Rule special = rule;
      special.pipeOps = anyRange(1);
      if (uniform) special.regBuff = *rc::gen::arbitrary<bool>();
      rules.push_back(special);
    }
    rules.push_back(rule);
  }
  return rules;
}

inline Policy anyPolicy() {
  Policy p;
  p.name = *anyName();
  p.identity = {*anyName(), *anyName(), *anyName(), *anyName(), *anyName(), *anyName(), {}};
  p.identity.sources = *rc::gen::container<std::vector<std::string>>(anyName());
  p.options = {*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()};
  for (int i = *rc::gen::inRange(0, 3); i > 0; i--) {
    const ModelArray& array = modelArrays()[*rc::gen::inRange<size_t>(0, modelArrays().size())];
    ConstantOverride c{std::string(array.name), {}, anyIn(kMinBandwidth, 100)};
    for (size_t d = 0; d < 3; d++) c.index[d] = *rc::gen::inRange(0, array.extents[d]);
    p.constants.push_back(c);
  }
  for (int i = *rc::gen::inRange(0, 4); i > 0; i--) {
    Table t;
    t.collective = static_cast<nccl::Collective>(*rc::gen::inRange(0, nccl::kNumCollectives));
    t.layout = {anyRange(1), anyRange(1), maybe([] { return anyRange(1); }), maybe([] { return anyRange(1); })};
    t.maxChannels = maybe([] { return *rc::gen::inRange(1, 65); });
    t.rules = anyRules(t.collective, p.options.uniformApplication);
    p.tables.push_back(t);
  }
  return p;
}

}  // namespace polyrail::test
