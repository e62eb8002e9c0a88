// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/rails/print.h"

namespace polyrail::cli {
namespace {

using Json = nlohmann::ordered_json;

Json orNull(int value) { return value < 0 ? Json() : Json(value); }

Json gidJson(const net::GidChoice& g) {
  return {{"index", g.index}, {"address", net::text(g.gid)}, {"why", g.why}, {"rejected", g.rejected}};
}

Json portJson(const net::Port& p) {
  Json j = {
      {"name", p.name()},
      {"device", p.device},
      {"port", p.number},
      {"guid", fmt::format("{:016x}", p.guid)},
      {"link", p.link == net::LinkLayer::kEthernet ? "RoCE" : "InfiniBand"},
      {"speed_mbps", p.speedMbps},
      {"mtu", p.mtu ? Json(128u << p.mtu) : Json()},
      {"gid", gidJson(p.gid)},
      {"pkey",
       {{"index", p.pkey.index}, {"value", p.pkey.value ? Json(fmt::format("0x{:04x}", p.pkey.value)) : Json()}}},
      {"subnet", fmt::format("{:016x}", p.subnetPrefix)},
      {"lid", p.lid},
      {"rail", orNull(p.rail)},
      {"plane", orNull(p.plane)},
      {"numa", orNull(p.numaNode)},
      {"pci", p.pciAddress},
      {"pci_path", p.pciPath},
      {"interface", p.netdev},
      {"gpudirect", {{"dmabuf", p.gpuDirect.dmaBuf}, {"peermem", p.gpuDirect.peermem}, {"why", p.gpuDirect.why}}},
      {"relaxed_ordering", p.relaxedOrdering},
      {"data_direct", p.dataDirect},
      {"adaptive_routing", p.adaptiveRouting},
      {"max_qp", p.limits.maxQp},
      {"notes", p.notes}};
  if (p.bond) j["bond"] = {{"name", p.bond->name}, {"mode", p.bond->mode}, {"members", p.bond->members}};
  return j;
}

Json fusedJson(const RailSurvey& survey) {
  Json groups = Json::array();
  for (const net::FusedGroup& group : survey.fused) {
    if (group.ports.size() < 2) continue;
    Json names = Json::array();
    for (const int i : group.ports) names.push_back(survey.found.ports[static_cast<size_t>(i)].name());
    groups.push_back({{"ports", names}, {"why", group.why}});
  }
  return groups;
}

}  // namespace

Json railsJson(const RailSurvey& survey) {
  Json ports = Json::array(), refused = Json::array();
  for (size_t i = 0; i < survey.found.ports.size(); i++) {
    ports.push_back(portJson(survey.found.ports[i]));
    ports.back()["siblings"] = Json::array();
    for (const int s : survey.siblings[i])
      ports.back()["siblings"].push_back(survey.found.ports[static_cast<size_t>(s)].name());
  }
  for (const net::RefusedPort& r : survey.found.refused)
    refused.push_back({{"name", r.name}, {"reason", r.reason}, {"remedy", r.remedy}});
  return {{"library", survey.library},
          {"ports", ports},
          {"refused", refused},
          {"fused_to_abi_v8", fusedJson(survey)},
          {"distances_from", survey.locality},
          {"warnings", survey.found.warnings},
          {"limits", survey.limits},
          {"settings",
           {{"in_force", survey.settings.honoured},
            {"no_effect", survey.settings.ignored},
            {"problems", survey.settings.problems}}}};
}

}  // namespace polyrail::cli
