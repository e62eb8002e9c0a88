// SPDX-License-Identifier: Apache-2.0
#include "cli/policy/machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace polyrail {
namespace {

struct NicModel {
  uint64_t vendor, device;
  const char* name;
};
// PCI IDs of RDMA adapters, as the public PCI ID list has them.
constexpr NicModel kNics[] = {
    {0x15b3, 0x1017, "ConnectX-5"},    {0x15b3, 0x1019, "ConnectX-5 Ex"}, {0x15b3, 0x101b, "ConnectX-6"},
    {0x15b3, 0x101d, "ConnectX-6 Dx"}, {0x15b3, 0x101f, "ConnectX-6 Lx"}, {0x15b3, 0x1021, "ConnectX-7"},
    {0x15b3, 0x1023, "ConnectX-8"},    {0x15b3, 0xa2d6, "BlueField-2"},   {0x15b3, 0xa2dc, "BlueField-3"},
    {0x1d0f, 0xefa0, "EFA"},           {0x1d0f, 0xefa1, "EFA"},           {0x1d0f, 0xefa2, "EFA"},
    {0x1d0f, 0xefa3, "EFA"},           {0x14e4, 0x1750, "BCM57508"},      {0x14e4, 0x1760, "BCM57608"},
};

constexpr char kGpuFolder[] = "/proc/driver/nvidia/gpus";
constexpr char kNicFolder[] = "/sys/class/infiniband";

// "ConnectX-7" and "connectx 7" are the same.
std::string squeezed(std::string_view text) {
  std::string out;
  for (char c : text)
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'))
      out += c;
    else if (c >= 'A' && c <= 'Z')
      out += static_cast<char>(c - 'A' + 'a');
  return out;
}

bool sameModel(const std::string& stated, const std::string& found) {
  const std::string a = squeezed(stated), b = squeezed(found);
  return !a.empty() && !b.empty() && (b.find(a) != b.npos || a.find(b) != a.npos);
}

std::string gpuModel(const SysRoot& root, const std::string& folder) {
  const std::string text = root.read(std::string(kGpuFolder) + "/" + folder + "/information").value_or("");
  const size_t at = text.find("Model:");
  if (at == text.npos) return "";
  const size_t begin = text.find_first_not_of(" \t", at + 6);
  return begin == text.npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

std::string nicModel(const SysRoot& root, const std::string& name) {
  const std::string device = std::string(kNicFolder) + "/" + name + "/device/";
  const std::optional<uint64_t> vendor = root.readNumber(device + "vendor"), id = root.readNumber(device + "device");
  if (!vendor || !id) return "";
  for (const NicModel& nic : kNics)
    if (nic.vendor == *vendor && nic.device == *id) return nic.name;
  return fmt::format("PCI {:04x}:{:04x}", *vendor, *id);
}

using Models = std::set<std::string>;

template <typename ModelOf>
Models modelsIn(const SysRoot& root, const char* folder, ModelOf modelOf) {
  Models models;
  for (const std::string& name : root.list(folder))
    if (std::string model = modelOf(root, name); !model.empty()) models.insert(std::move(model));
  return models;
}

void compare(const char* what, const std::string& stated, const Models& found, const std::string& nothing,
             Findings& out) {
  if (stated.empty()) return;
  if (found.empty()) return out.push_back(notCompared(what, nothing));
  const auto agrees = [&](const std::string& model) { return sameModel(stated, model); };
  if (std::any_of(found.begin(), found.end(), agrees)) return;
  out.push_back(
      {Severity::kError,
       "identity-mismatch",
       {},
       fmt::format("learned on the {} {}, but this machine has {}", what, quoted(stated), fmt::join(found, ", ")),
       "use a policy that was learned here"});
}

}  // namespace

Finding notCompared(const char* what, const std::string& why) {
  return {Severity::kNote, "identity-unchecked", {}, fmt::format("{} not compared: {}", what, why), ""};
}

Findings checkMachine(const Identity& identity, const SysRoot& root) {
  Findings out;
  compare("GPU", identity.gpu, modelsIn(root, kGpuFolder, gpuModel),
          fmt::format("{} is not here or empty", kGpuFolder), out);
  compare("NIC", identity.nic, modelsIn(root, kNicFolder, nicModel),
          fmt::format("{} is not here or empty", kNicFolder), out);
  checkNccl(identity, root, out);
  return out;
}

}  // namespace polyrail
