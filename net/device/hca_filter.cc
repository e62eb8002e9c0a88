// SPDX-License-Identifier: Apache-2.0
#include "net/device/hca_filter.h"

#include <charconv>

namespace polyrail::net {
namespace {

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  size_t from = 0;
  for (size_t at = text.find(by); at != std::string::npos; at = text.find(by, from)) {
    parts.push_back(text.substr(from, at - from));
    from = at + 1;
  }
  parts.push_back(text.substr(from));
  return parts;
}

bool number(const std::string& text, int* value) {
  *value = -1;  // from_chars leaves it alone on error
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, *value);
  return error == std::errc() && rest == end && *value >= 0;
}

Status wrong(const std::string& token) {
  return Status::error("NCCL_IB_HCA: '" + token + "' is not device[:port[:rail[:plane]]] with whole numbers");
}

Result<HcaPattern> parsePattern(const std::string& token) {
  const std::vector<std::string> parts = split(token, ':');
  HcaPattern pattern;
  pattern.device = parts[0];
  if (pattern.device.empty() || parts.size() > 4) return wrong(token);
  int values[3] = {-1, -1, -1};
  for (size_t i = 1; i < parts.size(); i++)
    if (!parts[i].empty() && !number(parts[i], &values[i - 1])) return wrong(token);
  if (values[0] >= 0) pattern.port = values[0];
  pattern.rail = values[1];
  pattern.plane = values[2];
  return pattern;
}

}  // namespace

const HcaPattern* HcaFilter::match(const std::string& device, int port) const {
  for (const HcaPattern& p : patterns) {
    const bool named = exact ? device == p.device : device.compare(0, p.device.size(), p.device) == 0;
    if (named && (!p.port || *p.port == port)) return &p;
  }
  return nullptr;
}

bool HcaFilter::allows(const std::string& device, int port) const {
  return patterns.empty() || (match(device, port) != nullptr) != exclude;
}

Result<HcaFilter> parseHcaFilter(const std::string& text) {
  HcaFilter filter;
  std::string rest = text;
  if (!rest.empty() && rest[0] == '^') filter.exclude = true, rest.erase(0, 1);
  if (!rest.empty() && rest[0] == '=') filter.exact = true, rest.erase(0, 1);
  if (rest.empty()) return filter;
  for (const std::string& token : split(rest, ',')) {
    if (token.empty()) continue;  // "mlx5_0," is common and harmless
    Result<HcaPattern> pattern = parsePattern(token);
    if (!pattern.ok()) return pattern.status();
    filter.patterns.push_back(std::move(pattern).value());
  }
  return filter;
}

}  // namespace polyrail::net
