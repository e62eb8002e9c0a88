// SPDX-License-Identifier: Apache-2.0
#include "cli/deploy/launcher.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

namespace polyrail::cli {
namespace {

struct Preset {
  const char *name, *text;
};
constexpr Preset kPresets[] = {
    {"ssh", "ssh -n -o BatchMode=yes -o ConnectTimeout=10 {host} {command}"},
    {"pdsh", "pdsh -w {hosts} {command}"},
    {"srun", "srun --nodelist={hosts} --nodes={count} --ntasks={count} --ntasks-per-node=1 {command}"},
    {"local", "env POLYRAIL_COMPARED_HOST={host} {command}"},
};

std::string templateOf(const std::string& launcher) {
  for (const Preset& p : kPresets)
    if (launcher == p.name) return p.text;
  return launcher;
}

void put(std::string& text, const std::string& key, const std::string& value) {
  for (size_t at = text.find(key); at != text.npos; at = text.find(key, at + value.size()))
    text.replace(at, key.size(), value);
}

bool has(const std::string& text, const char* key) { return text.find(key) != text.npos; }

}  // namespace

bool isPlainWord(const std::string& word) {
  const auto fits = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c && std::strchr("./_-+=:@,%", c));
  };
  return !word.empty() && std::all_of(word.begin(), word.end(), fits);
}

Result<std::vector<Launch>> launches(const std::string& launcher, const std::vector<std::string>& hosts,
                                     const std::string& command) {
  const std::string text = templateOf(launcher);
  const bool each = has(text, "{host}"), together = has(text, "{hosts}");
  if (!has(text, "{command}") || each == together)
    return Status::error(
        fmt::format("--launcher '{}' is none of ssh, pdsh, srun, local, nor a template with {{command}} and either "
                    "{{host}} or {{hosts}}",
                    launcher));
  std::vector<Launch> out;
  const size_t share = each ? 1 : hosts.size();
  for (size_t i = 0; i < hosts.size(); i += share) {
    Launch launch{text,
                  {hosts.begin() + static_cast<ptrdiff_t>(i), hosts.begin() + static_cast<ptrdiff_t>(i + share)}};
    put(launch.line, "{hosts}", fmt::format("{}", fmt::join(launch.hosts, ",")));
    put(launch.line, "{host}", hosts[i]);
    put(launch.line, "{count}", std::to_string(hosts.size()));
    put(launch.line, "{command}", command);
    out.push_back(std::move(launch));
  }
  return out;
}

}  // namespace polyrail::cli
