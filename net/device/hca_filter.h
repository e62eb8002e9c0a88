// SPDX-License-Identifier: Apache-2.0
// NCCL_IB_HCA: which ports to use, with NCCL's grammar (src/transport/net_ib/init.cc, 2.30.7): an optional "^" (all
// but these), an optional "=" (whole names; else prefixes), then a comma list of device[:port[:rail[:plane]]]. Plain
// value; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/status.h"

namespace polyrail::net {

struct HcaPattern {
  std::string device;
  std::optional<int> port;
  int rail = -1, plane = -1;  // -1: not stated
};

struct HcaFilter {
  bool exclude = false;
  bool exact = false;
  std::vector<HcaPattern> patterns;

  // The pattern that a port meets, or null.
  const HcaPattern* match(const std::string& device, int port) const;
  // True when the port may be used. An empty filter allows all.
  bool allows(const std::string& device, int port) const;
};

// The error names the token and what may stand there.
Result<HcaFilter> parseHcaFilter(const std::string& text);

}  // namespace polyrail::net
