// SPDX-License-Identifier: Apache-2.0
// NCCL_ALGO and NCCL_PROTO as NCCL reads them: which algorithms and protocols they leave for each collective. Two
// grammars: a flat list until 2.23, lists per collective from 2.24.3 on (src/graph/tuning.cc parseList). Names are
// NCCL's own, in any case, without spaces. Pure; any thread.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "common/nccl/terms.h"
#include "common/nccl/version.h"
#include "common/status.h"

namespace polyrail::nccl {

struct EnvFilter {
  // By default NCCL decides itself about LL128; a list that mentions a collective switches that check off, so that
  // NCCL_PROTO=^LL turns LL128 on even where it is not safe.
  enum class Gate { kOff, kOn, kNcclDecides };

  std::array<std::array<bool, kNumAlgorithms>, kNumCollectives> algorithms;
  std::array<std::array<Gate, kNumProtocols>, kNumCollectives> protocols;
  std::string algorithmText, protocolText;  // as given; "" when not set
  std::vector<std::string> ignored;         // words of a flat list that NCCL before 2.24 skips without a word

  EnvFilter();  // nothing set: everything is left
  bool allows(Collective c, Algorithm a) const { return algorithms[static_cast<size_t>(c)][static_cast<size_t>(a)]; }
  Gate gate(Collective c, Protocol p) const { return protocols[static_cast<size_t>(c)][static_cast<size_t>(p)]; }
};

// `algo` and `proto` are the values of the variables, "" for unset. An error is what NCCL from 2.24 on would stop the
// communicator with.
polyrail::Result<EnvFilter> parseEnvFilter(const std::string& algo, const std::string& proto,
                                           int version = kReferenceVersion);

}  // namespace polyrail::nccl
