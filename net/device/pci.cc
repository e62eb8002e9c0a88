// SPDX-License-Identifier: Apache-2.0
#include "net/device/pci.h"

#include <charconv>

#include "common/text/decimal.h"

namespace polyrail::net {
namespace {

constexpr size_t kAddress = 12;  // "0000:17:00.1"; a domain may be longer

bool hex(const std::string& text, size_t from, size_t count, uint64_t* value) {
  if (from + count > text.size()) return false;
  const char* begin = text.data() + from;
  const auto [rest, error] = std::from_chars(begin, begin + count, *value, 16);
  return error == std::errc() && rest == begin + count;
}

std::optional<uint64_t> number(const std::string& name) {
  if (name.size() < kAddress) return std::nullopt;
  const size_t bus = name.size() - 7;  // "17:00.1"
  uint64_t domain = 0, b = 0, device = 0, function = 0;
  const bool shape = name[bus - 1] == ':' && name[bus + 2] == ':' && name[bus + 5] == '.';
  if (!shape || !hex(name, 0, bus - 1, &domain) || !hex(name, bus, 2, &b) || !hex(name, bus + 3, 2, &device) ||
      !hex(name, bus + 6, 1, &function))
    return std::nullopt;
  return domain << 16 | b << 8 | device << 3 | function;
}

std::string last(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string firstThatExists(const SysRoot& root, std::initializer_list<std::string> paths,
                            const std::string& fallback) {
  for (const std::string& path : paths)
    if (root.exists(path)) return path;
  return fallback;
}

double leading(const std::optional<std::string>& text) {
  double value = 0;
  if (text) value = leadingDecimal(*text);
  return value;
}

std::string brief(double value) {
  std::string text = std::to_string(value);
  return text.substr(0, text.find('.') + 2);
}

}  // namespace

std::optional<uint64_t> pciNumber(const std::string& realPath) { return number(last(realPath)); }

std::vector<std::string> pciChain(const std::string& realPath) {
  std::vector<std::string> chain;
  size_t from = 0;
  while (from < realPath.size()) {
    const size_t slash = std::min(realPath.find('/', from), realPath.size());
    std::string part = realPath.substr(from, slash - from);
    if (number(part) || part.rfind("pci", 0) == 0) chain.push_back(std::move(part));
    from = slash + 1;
  }
  return chain;
}

std::string cardPath(const SysRoot& root, const std::string& realPath, const std::string& physical, bool mergeVfs) {
  if (!pciNumber(realPath)) return realPath;
  std::string function = realPath, device = realPath, parent = physical;
  function.back() = '0';
  device.replace(device.size() - 4, 4, "00.0");
  if (!mergeVfs) return firstThatExists(root, {function}, realPath);
  if (pciNumber(physical)) {
    parent.back() = '0';
    return firstThatExists(root, {parent, physical}, realPath);
  }
  return firstThatExists(root, {device, function}, realPath);
}

std::optional<std::string> slowLink(const SysRoot& root, const std::string& realPath) {
  const double width = leading(root.read(realPath + "/current_link_width"));
  const double most = leading(root.read(realPath + "/max_link_width"));
  const double speed = leading(root.read(realPath + "/current_link_speed"));
  const double fastest = leading(root.read(realPath + "/max_link_speed"));
  if (width <= 0 || speed <= 0 || most > 64 || (width >= most && speed >= fastest)) return std::nullopt;
  return "x" + std::to_string(static_cast<int>(width)) + " of x" + std::to_string(static_cast<int>(most)) + ", " +
         brief(speed) + " of " + brief(fastest) + " GT/s";
}

}  // namespace polyrail::net
