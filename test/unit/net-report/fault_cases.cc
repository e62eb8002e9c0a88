// SPDX-License-Identifier: Apache-2.0
#include "test/unit/net-report/fault_cases.h"

#include "net/report/causes.h"
#include "net/report/report.h"
#include "test/unit/net-repair/control.h"

namespace polyrail::net {
namespace {

constexpr int64_t kMs = 1'000'000;

// Causes by the names of net/report/causes.cc.
constexpr FaultCase kCases[] = {
    {"port-down", R"("do": "port_down")", "a", "link-down", "peer-says", "the port went down"},
    {"port-down-at-the-peer", R"("do": "port_down")", "b", "peer-says", "link-down", "the port went down"},
    {"port-down-without-event", R"("do": "port_down", "event": false)", "a", "silence", "peer-says", "status 12"},
    {"black-hole", R"("do": "black_hole")", "a", "silence", "peer-says", "status 12"},
    {"black-hole-in", R"("do": "black_hole", "direction": "in")", "a", "silence", "peer-says", "status 12"},
    {"black-hole-at-the-peer", R"("do": "black_hole")", "b", "silence", "peer-says", "status 12"},
    {"loss-of-all", R"("do": "loss", "amount": 1)", "a", "silence", "peer-says", "status 12"},
    {"remote-operation", R"("do": "complete_with", "status": "REM_OP_ERR", "count": 0)", "a", "peer-nic", "peer-says",
     "status 11"},
    {"remote-access", R"("do": "complete_with", "status": "REM_ACCESS_ERR", "count": 0)", "a", "peer-memory",
     "peer-says", "status 10"},
    {"local-protection", R"("do": "complete_with", "status": "LOC_PROT_ERR", "count": 0)", "a", "local-memory",
     "peer-says", "status 4"},
    {"local-operation", R"("do": "complete_with", "status": "LOC_QP_OP_ERR", "count": 0)", "a", "local-nic",
     "peer-says", "status 2"},
    {"no-receive", R"("do": "complete_with", "status": "RNR_RETRY_EXC_ERR", "count": 0)", "a", "no-receive",
     "peer-says", "status 13"},
    {"nic-removed", R"("do": "device_removal")", "a", "nic-lost", "peer-says", "the NIC reported a fatal error"},
    {"nic-removed-at-the-peer", R"("do": "device_removal")", "b", "peer-says", "nic-lost",
     "the NIC reported a fatal error"},
    {"slow", R"("do": "slow", "amount": 30)"},
    {"a-little-loss", R"("do": "loss", "amount": 0.0001)"},
    {"out-of-order", R"("do": "reorder", "op": "data", "count": 0)"},
    {"late-flushes", R"("do": "flush", "by": "5ms")"},
};

struct Scene {
  explicit Scene(const std::string& faults)
      : rig(options(faults)),
        pair(rig, with(true), with(false)),
        stream(rig, pair, 128 << 10, 8, true),
        control(rig, pair) {}
  static RigOptions options(const std::string& faults) {
    RigOptions o;
    o.senderGbps = o.receiverGbps = {1, 1};
    o.faults = faultList(faults);
    return o;
  }
  CommOptions with(bool sender) {
    CommOptions o = repairOptions(rig, sender);
    o.path.timeout = 10;  // 4 ms
    o.times = {.watchdog = 200 * kMs, .noPath = 500 * kMs, .packetLifetime = 100 * kMs};
    return o;
  }
  void runUntil(int64_t time) {
    rig.sim().until([&] { return rig.sim().now() >= time || bothFailed(); },
                    [&] {
                      const bool moved = stream.turn();
                      return control.turn() || moved;
                    },
                    time);
  }
  bool bothFailed() const { return !pair.send->error().empty() && !pair.recv->error().empty(); }
  std::string news() {
    std::string all;
    for (const Comm::News& n : pair.send->takeNews()) all += "sender: " + n.text + "\n";
    for (const Comm::News& n : pair.recv->takeNews()) all += "receiver: " + n.text + "\n";
    return all;
  }

  Rig rig;
  CommPair pair;
  Traffic stream;
  Control control;
};

std::string listed(const FaultCase& fault, const std::string& rail) {
  return R"([{"at": "5ms", "target": ")" + std::string(fault.target) + rail + "\", " + fault.act + "}]";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The report of one end: the right cause first, every path with its rail, its peer's GID and both queue pairs.
std::string judgeReport(Evidence e, const char* cause, const std::string& peerGid, std::string* said) {
  e.peer = "b:1 (b, process 1)";
  for (const std::string& line : reportLines(e, "1")) *said += line + "\n";
  const std::vector<Cause> causes = likelyCauses(e);
  if (causes.front().name != cause)
    return std::string("the cause is ") + cause + ", and the report says " + std::string(causes.front().name);
  if (!has(*said, "path emu0:1 (") || !has(*said, "path emu1:1 (")) return "a rail is not named";
  if (!has(*said, peerGid)) return "the peer's GID " + peerGid + " is not named";
  if (!has(*said, e.peer)) return "the peer is not named";
  return "";
}

}  // namespace

std::vector<FaultCase> allFaultCases() { return {std::begin(kCases), std::end(kCases)}; }

std::string judgeSurvived(const FaultCase& fault, std::string* said) {
  Scene s(listed(fault, "/emu1"));
  s.runUntil(450 * kMs);
  *said = s.news();
  if (!s.stream.ok()) return "not survived: " + s.stream.error();
  const bool silent = !*fault.line;
  if (silent) return said->empty() ? "" : "something was said of a rail that did not fail";
  const size_t line =
      said->find(std::string(fault.target) == "a" ? "sender: path emu1:1 - emu1:1: " : "path emu1:1 - emu1:1: ");
  if (line == std::string::npos) return "the rail is not named";
  if (!has(*said, fault.line)) return std::string("the cause is not named: ") + fault.line;
  return has(*said, "path emu0:1") ? "another rail is named" : "";
}

std::string judgeEnded(const FaultCase& fault, std::string* said) {
  Scene s(listed(fault, ""));
  s.runUntil(3'000 * kMs);
  const bool failed = s.bothFailed();
  if (!*fault.here) return failed ? "it ended: " + s.pair.send->error() : "";
  if (!failed) return "an end did not learn of it: " + s.pair.send->error() + " | " + s.pair.recv->error();
  const std::string problem =
      judgeReport(s.pair.send->evidence(), fault.here, text(s.rig.rails(false)[0].info.gid), said);
  if (!problem.empty()) return "sender: " + problem;
  const std::string other =
      judgeReport(s.pair.recv->evidence(), fault.there, text(s.rig.rails(true)[0].info.gid), said);
  return other.empty() ? "" : "receiver: " + other;
}

}  // namespace polyrail::net
