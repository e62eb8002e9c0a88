// SPDX-License-Identifier: Apache-2.0
#include "net/report/report.h"

#include <algorithm>
#include <cstdio>

#include "common/log.h"
#include "net/report/causes.h"

namespace polyrail::net {
namespace {

constexpr size_t kLongest = Log::kMaxLine - 64;  // with what the log puts before it
constexpr size_t kMostPaths = 8, kMostCauses = 3;

std::string ranksOf(const Evidence& e, bool sender) {
  if (e.sends != sender || e.ranks.empty()) return "rank unknown";
  std::string text = e.ranks.size() == 1 ? "rank" : "ranks";
  for (size_t i = 0; i < e.ranks.size() && i < 8; i++) text += (i ? ", " : " ") + std::to_string(e.ranks[i]);
  return text + (e.ranks.size() > 8 ? ", ..." : "");
}

// NCCL's tags tell the sender's rank: this end's when it sends, the peer's when it receives.
std::string endsLine(const Evidence& e) {
  return std::string("here: ") + (e.sends ? "sender, " : "receiver, ") + ranksOf(e, true) + ", host " + e.host +
         ", process " + std::to_string(e.process) + "; peer: " + ranksOf(e, false) + ", " + e.peer;
}

std::string addressOf(const RailEvidence& r) {
  return "port " + std::to_string(r.port) + ", GID " + std::to_string(r.gidIndex) + " " + r.gid +
         (r.lid ? ", LID " + std::to_string(r.lid) : "");
}

std::string pathLine(const Evidence& e, const PathEvidence& p) {
  const RailEvidence none, &rail = p.rail < e.rails.size() ? e.rails[p.rail] : none;
  std::string text = "path " + rail.name + " (" + addressOf(rail) + ", QP " + std::to_string(p.queuePair) + ") to " +
                     p.remoteRail + " (GID " + p.remoteGid + ", QP " + std::to_string(p.remoteQueuePair) + "): ";
  if (p.live) return text + "carried data to the end";
  text += p.first.text.empty() ? "not in use" : p.first.text;
  return text + (p.latest.empty() ? "" : "; and since then: " + p.latest);
}

std::string countersLine(const RailEvidence& r) {
  std::string text = "counters of " + r.name + " since this process first used it:";
  if (!r.counted) return text + (r.lost ? " not asked, the NIC is lost" : " the kernel shows none");
  if (r.changes.empty()) return text + " no error counter moved";
  for (const CounterChange& c : r.changes) text += " " + c.name + " +" + std::to_string(c.by);
  return text;
}

std::string eventsLine(const std::vector<PastEvent>& events) {
  std::string text = "last events:";
  char ago[32];
  for (size_t i = 0; i < events.size(); i++) {
    std::snprintf(ago, sizeof ago, " %.3f s before: ", static_cast<double>(events[i].agoNs) / 1e9);
    text += (i ? ";" : "") + std::string(ago) + events[i].text;
  }
  return text;
}

std::string causesLine(const std::vector<Cause>& causes) {
  std::string text = "likely: ";
  for (size_t i = 0; i < causes.size(); i++)
    text +=
        (i ? "; " : "") + std::to_string(i + 1) + ". " + causes[i].text + " [" + std::string(causes[i].name) + "]";
  return text;
}

std::string nextLine(const std::vector<Cause>& causes) {
  std::string text = "next: ";
  for (size_t i = 0; i < causes.size(); i++) text += (i ? " | " : "") + causes[i].next;
  return text;
}

std::vector<std::string> content(const Evidence& e) {
  std::vector<std::string> lines = {"connection lost: " + e.why, endsLine(e)};
  for (size_t p = 0; p < e.paths.size() && p < kMostPaths; p++) lines.push_back(pathLine(e, e.paths[p]));
  if (e.paths.size() > kMostPaths)
    lines.push_back("and " + std::to_string(e.paths.size() - kMostPaths) + " more paths");
  for (const RailEvidence& r : e.rails) lines.push_back(countersLine(r));
  if (!e.events.empty()) lines.push_back(eventsLine(e.events));
  std::vector<Cause> causes = likelyCauses(e);
  causes.resize(std::min(causes.size(), kMostCauses));
  lines.push_back(causesLine(causes));
  lines.push_back(nextLine(causes));
  return lines;
}

}  // namespace

std::vector<std::string> reportLines(const Evidence& e, const std::string& name) {
  std::vector<std::string> lines = content(e);
  for (std::string& line : lines) line = ("report " + name + ": " + line).substr(0, kLongest);
  return lines;
}

std::string culprit(const Evidence& e) {
  const bool peers = e.ending == Ending::kPeerDied || e.ending == Ending::kPeerLeft;
  if (peers || e.rails.empty()) return "the peer " + e.peer.substr(e.peer.find('(') + 1);
  std::string rails;
  for (const RailEvidence& r : e.rails) rails += (rails.empty() ? "" : ", ") + r.name;
  return rails;
}

}  // namespace polyrail::net
