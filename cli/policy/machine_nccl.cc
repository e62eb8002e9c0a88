// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdlib>
#include <sstream>

#include "cli/policy/machine.h"
#include "common/nccl/version.h"

namespace polyrail {
namespace {

constexpr const char* kNcclLibraries[] = {"/usr/lib/x86_64-linux-gnu/libnccl.so.2",
                                          "/usr/lib/aarch64-linux-gnu/libnccl.so.2", "/usr/lib64/libnccl.so.2"};

// The distribution's; jobs may bring their own.
std::optional<int> ncclHere(const SysRoot& root) {
  for (const char* library : kNcclLibraries) {
    const std::string target = root.realPath(library).value_or("");
    const size_t at = target.find("libnccl.so.");
    if (at == target.npos) continue;
    if (const std::optional<int> version = nccl::parseVersion(target.substr(at + 11))) return version;
  }
  return std::nullopt;
}

void compareNccl(const Identity& id, std::optional<int> here, Findings& out) {
  const std::optional<int> low = nccl::parseVersion(id.ncclMin), high = nccl::parseVersion(id.ncclMax);
  if (!low && !high) return;
  if (!here) return out.push_back(notCompared("NCCL", "no libnccl.so.2 of the distribution here"));
  if (*here >= low.value_or(*here) && *here <= high.value_or(*here)) return;
  out.push_back(
      {Severity::kNote,
       "nccl-outside",
       {},
       fmt::format("this machine's NCCL is {}, the policy was learned on {} to {}; jobs may bring their own",
                   nccl::versionText(*here), quoted(id.ncclMin), quoted(id.ncclMax)),
       ""});
}

// What a job here would find under this name: its environment wins over nccl.conf, which takes NAME=value lines. A
// recorded machine has no environment.
std::string ncclSetting(const SysRoot& root, const std::string& name) {
  const char* set = root.isLive() ? std::getenv(name.c_str()) : nullptr;
  if (set != nullptr) return set;
  std::istringstream lines(root.read("/etc/nccl.conf").value_or(""));
  std::string value;
  for (std::string line; std::getline(lines, line);)
    if (line.compare(0, name.size() + 1, name + "=") == 0) value = line.substr(name.size() + 1);
  return value;
}

// From 2.28.3 to 2.29.7 the record of a net plugin that is unloaded is wiped, its name too, and
// NCCL_NET_PLUGIN_REF_COUNT, which keeps it loaded, is 0 by default (src/plugin/net.cc; 1 before, and 2.30.3 no
// longer wipes the name).
void checkNetPlugin(std::optional<int> here, const SysRoot& root, Findings& out) {
  if (here.value_or(0) < 22803 || *here >= 23000) return;
  if (ncclSetting(root, "NCCL_NET_PLUGIN").find("polyrail") == std::string::npos) return;
  if (std::atoi(ncclSetting(root, "NCCL_NET_PLUGIN_REF_COUNT").c_str()) > 0) return;
  out.push_back({Severity::kWarning,
                 "net-plugin-forgotten",
                 {},
                 fmt::format("this machine's NCCL {} forgets the net plugin when the last communicator of a process "
                             "ends, and uses its own transport for the next",
                             nccl::versionText(*here)),
                 "set NCCL_NET_PLUGIN_REF_COUNT=1"});
}

}  // namespace

void checkNccl(const Identity& identity, const SysRoot& root, Findings& out) {
  const std::optional<int> here = ncclHere(root);
  compareNccl(identity, here, out);
  checkNetPlugin(here, root, out);
}

}  // namespace polyrail
