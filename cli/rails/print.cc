// SPDX-License-Identifier: Apache-2.0
#include "cli/rails/print.h"

#include <fmt/format.h>

#include "cli/output/table.h"

namespace polyrail::cli {
namespace {

std::string speed(const net::Port& p) {
  if (p.speedMbps == 0) return "-";
  return p.speedMbps % 1000 ? fmt::format("{:.1f} Gb/s", p.speedMbps / 1000.0)
                            : fmt::format("{} Gb/s", p.speedMbps / 1000);
}

std::string orDash(int value) { return value < 0 ? "-" : std::to_string(value); }

std::string gpuDirect(const net::Port& p) {
  if (p.dataDirect) return "data-direct";
  if (p.gpuDirect.dmaBuf) return p.gpuDirect.peermem ? "DMA-BUF, peermem" : "DMA-BUF";
  return p.gpuDirect.peermem ? "peermem" : "none";
}

std::string names(const RailSurvey& survey, const std::vector<int>& ports, const char* between) {
  std::string text;
  for (const int i : ports) text += (text.empty() ? "" : between) + survey.found.ports[static_cast<size_t>(i)].name();
  return text;
}

void printPorts(const RailSurvey& survey) {
  Table table({{"PORT"},
               {"LINK"},
               {"SPEED", Align::kRight},
               {"MTU", Align::kRight},
               {"GID", Align::kRight},
               {"ADDRESS"},
               {"CHOSEN FOR"},
               {"RAIL", Align::kRight},
               {"PLANE", Align::kRight},
               {"NUMA", Align::kRight},
               {"PCI"},
               {"GPUDIRECT"}});
  for (const net::Port& p : survey.found.ports) {
    const bool ethernet = p.link == net::LinkLayer::kEthernet;
    table.add({p.name(),
               ethernet ? "RoCE" : "IB",
               speed(p),
               p.mtu ? std::to_string(128u << p.mtu) : "-",
               std::to_string(p.gid.index),
               net::text(p.gid.gid),
               p.gid.why,
               orDash(p.rail),
               orDash(p.plane),
               orDash(p.numaNode),
               p.pciAddress.empty() ? "-" : p.pciAddress,
               {gpuDirect(p), gpuDirect(p) == "none" ? Tone::kBad : Tone::kGood}});
  }
  table.print(stdout, wantsColour(stdout));
}

void printRefused(const RailSurvey& survey) {
  if (survey.found.refused.empty()) return;
  fmt::print("\nNot used:\n");
  for (const net::RefusedPort& r : survey.found.refused)
    fmt::print("  {}: {}{}{}\n", r.name, r.reason, r.remedy.empty() ? "" : "; ", r.remedy);
}

void printNotes(const RailSurvey& survey) {
  std::vector<std::string> lines;
  for (const net::Port& p : survey.found.ports) {
    for (const std::string& note : p.notes) lines.push_back(p.name() + ": " + note);
    if (!p.gpuDirect.dmaBuf && !p.gpuDirect.peermem) lines.push_back(p.name() + ": GPUDirect " + p.gpuDirect.why);
  }
  for (const auto* more : {&survey.found.warnings, &survey.settings.problems, &survey.fusionProblems, &survey.limits})
    lines.insert(lines.end(), more->begin(), more->end());
  for (const std::string& i : survey.settings.ignored) lines.push_back("has no effect: " + i);
  if (lines.empty()) return;
  fmt::print("\nWorth knowing:\n");
  for (const std::string& line : lines) fmt::print("  {}\n", line);
}

void printFused(const RailSurvey& survey) {
  bool headed = false;
  for (const net::FusedGroup& group : survey.fused) {
    if (group.ports.size() < 2) continue;
    if (!headed)
      fmt::print("\nOne device for NCCL up to 2.22, which cannot ask (distances from {}):\n", survey.locality);
    headed = true;
    fmt::print("  {}: {}\n", names(survey, group.ports, " + "), group.why);
  }
}

void printSiblings(const RailSurvey& survey) {
  bool headed = false;
  for (size_t i = 0; i < survey.siblings.size(); i++) {
    if (survey.siblings[i].empty()) continue;
    if (!headed)
      fmt::print("\nStanding in for a connection's only port that fails (POLYRAIL_STANDBY), nearest first:\n");
    headed = true;
    fmt::print("  {}: {}\n", survey.found.ports[i].name(), names(survey, survey.siblings[i], ", "));
  }
}

}  // namespace

void printRails(const RailSurvey& survey) {
  fmt::print("{} of {} ports are rails (by {}).\n", survey.found.ports.size(),
             survey.found.ports.size() + survey.found.refused.size(), survey.library);
  if (!survey.found.ports.empty()) {
    fmt::print("\n");
    printPorts(survey);
  }
  printRefused(survey);
  printFused(survey);
  printSiblings(survey);
  printNotes(survey);
  if (survey.settings.honoured.empty()) return;
  fmt::print("\nIn force:\n");
  for (const std::string& line : survey.settings.honoured) fmt::print("  {}\n", line);
}

}  // namespace polyrail::cli
