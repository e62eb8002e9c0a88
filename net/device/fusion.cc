// SPDX-License-Identifier: Apache-2.0
#include "net/device/fusion.h"

#include <algorithm>

namespace polyrail::net {
namespace {

constexpr const char* kLevels[] = {"LOC", "PORT", "PIX", "PXB", "P2C", "PXN", "PHB", "SYS"};

std::string written(const std::vector<HcaPattern>& group) {
  std::string text;
  for (const HcaPattern& p : group)
    text += (text.empty() ? "" : ",") + p.device + (p.port ? ":" + std::to_string(*p.port) : "");
  return text;
}

bool named(const Port& port, const std::vector<HcaPattern>& group) {
  return std::any_of(group.begin(), group.end(), [&](const HcaPattern& p) {
    return p.device == port.device && (!p.port || *p.port == port.number);
  });
}

void force(const std::vector<Port>& ports, const std::vector<HcaPattern>& group, std::vector<bool>* placed,
           FusionPlan* plan) {
  FusedGroup fused;
  for (size_t i = 0; i < ports.size(); i++)
    if (!(*placed)[i] && named(ports[i], group)) fused.ports.push_back(static_cast<int>(i));
  const auto link = [&](int i) { return ports[static_cast<size_t>(i)].link; };
  const bool mixed =
      std::any_of(fused.ports.begin(), fused.ports.end(), [&](int i) { return link(i) != link(fused.ports[0]); });
  if (fused.ports.size() < group.size() || fused.ports.size() > kMaxRails || mixed) {
    plan->problems.push_back(
        "NCCL_NET_FORCE_MERGE: " + written(group) + " " +
        (mixed ? "mixes InfiniBand and Ethernet"
               : "fits " + std::to_string(fused.ports.size()) + " ports that are free, of at most 8") +
        "; these NICs stay as they are");
    return;
  }
  fused.why = "NCCL_NET_FORCE_MERGE";
  for (const int i : fused.ports) (*placed)[static_cast<size_t>(i)] = true;
  plan->groups.push_back(std::move(fused));
}

bool fits(const std::vector<Port>& ports, size_t i, size_t j, const DeviceSettings& settings,
          const Locality& locality) {
  const bool railFits = !settings.mergeWithinRail || (ports[i].rail >= 0 && ports[i].rail == ports[j].rail);
  return railFits && ports[i].link == ports[j].link && locality.between[i][j] <= settings.mergeLevel;
}

FusedGroup around(const std::vector<Port>& ports, size_t root, const DeviceSettings& settings,
                  const Locality& locality, std::vector<bool>* placed) {
  FusedGroup group;
  for (size_t j = root; j < ports.size() && group.ports.size() < kMaxRails; j++) {
    if ((*placed)[j] || (j != root && (!settings.mergeNics || !fits(ports, root, j, settings, locality)))) continue;
    (*placed)[j] = true;
    group.ports.push_back(static_cast<int>(j));
  }
  if (group.ports.size() > 1)
    group.why = settings.mergeLevelAsked
                    ? std::string("NCCL_NET_MERGE_LEVEL=") + kLevels[static_cast<size_t>(settings.mergeLevel)] +
                          ", by " + locality.source
                    : "ports of one card";
  return group;
}

}  // namespace

FusionPlan planFusion(const std::vector<Port>& ports, const DeviceSettings& settings, const Locality& locality) {
  FusionPlan plan;
  std::vector<bool> placed(ports.size(), false);
  if (settings.mergeNics)
    for (const auto& group : settings.forceMerge) force(ports, group, &placed, &plan);
  for (size_t i = 0; i < ports.size(); i++)
    if (!placed[i]) plan.groups.push_back(around(ports, i, settings, locality, &placed));
  std::stable_sort(plan.groups.begin(), plan.groups.end(),
                   [](const FusedGroup& a, const FusedGroup& b) { return a.ports[0] < b.ports[0]; });
  return plan;
}

}  // namespace polyrail::net
