// SPDX-License-Identifier: Apache-2.0
// The table of causes, row by row: evidence that only this row fits names it, with the rail it is about.
#include "net/report/causes.h"

#include <gtest/gtest.h>
#include <infiniband/verbs.h>

#include <algorithm>

namespace polyrail::net {
namespace {

Evidence healthy() {
  Evidence e;
  e.peer = "10.0.0.2:7 (node2, process 77)";
  e.rails.resize(2);
  e.paths.resize(2);
  for (size_t i = 0; i < 2; i++) {
    e.rails[i].device = "mlx5_" + std::to_string(i);
    e.rails[i].name = e.rails[i].device + ":1";
    e.paths[i].rail = i;
    e.paths[i].live = true;
  }
  return e;
}
Evidence with(Ending ending) {
  Evidence e = healthy();
  e.ending = ending;
  return e;
}
Evidence with(Symptom symptom, int status = 0) {
  Evidence e = healthy();
  e.paths[1].live = false;
  e.paths[1].first = {symptom, status, "it broke"};
  return e;
}
Evidence counted(const char* counter) {
  Evidence e = healthy();
  e.rails[1].changes = {{counter, 3}};
  return e;
}
Evidence lostNic() {
  Evidence e = healthy();
  e.rails[1].lost = true;
  return e;
}

struct RowCase {
  const char* row;
  Evidence evidence;
  bool rail = true;  // the text must name mlx5_1:1
};

std::vector<RowCase> rowCases() {
  std::vector<RowCase> cases = {
      {"peer-died", with(Ending::kPeerDied), false},
      {"peer-left", with(Ending::kPeerLeft), false},
      {"unplaced", with(Ending::kUnplaced), false},
      {"unfenced", with(Ending::kUnfenced), false},
      {"control-silent", with(Ending::kSilent), false},
      {"protocol", with(Ending::kProtocol), false},
      {"event", with(Ending::kLocalEvent), false},
      {"flush", with(Ending::kFlush), false},
      {"peer-ended", with(Ending::kPeerEnded), false},
      {"path", with(Ending::kPath), false},
      {"nic-lost", lostNic()},
      {"nic-lost", with(Symptom::kDeviceLost)},
      {"cq-broken", with(Symptom::kPoll)},
      {"link-down", with(Symptom::kPortDown)},
      {"peer-nic", with(Symptom::kCompletion, IBV_WC_REM_OP_ERR)},
      {"peer-memory", with(Symptom::kCompletion, IBV_WC_REM_ACCESS_ERR)},
      {"local-memory", with(Symptom::kCompletion, IBV_WC_LOC_PROT_ERR)},
      {"no-receive", with(Symptom::kCompletion, IBV_WC_RNR_RETRY_EXC_ERR)},
      {"local-nic", with(Symptom::kCompletion, IBV_WC_LOC_QP_OP_ERR)},
      {"silence", with(Symptom::kCompletion, IBV_WC_RETRY_EXC_ERR)},
      {"silence", with(Symptom::kWatchdog)},
      {"post-refused", with(Symptom::kPost)},
      {"peer-says", with(Symptom::kPeer), false},
      {"unavailable", with(Symptom::kUnavailable)},
      {"no-answer", with(Symptom::kNoAnswer)},
  };
  const std::pair<const char*, std::vector<const char*>> counters[] = {
      {"link-down", {"link_downed"}},
      {"bit-errors",
       {"symbol_error", "local_link_integrity_errors", "port_rcv_errors", "link_error_recovery",
        "port_rcv_remote_physical_errors"}},
      {"no-receive", {"rnr_nak_retry_err"}},
      {"packet-loss",
       {"out_of_sequence", "packet_seq_err", "implied_nak_seq_err", "local_ack_timeout_err", "roce_adp_retrans",
        "port_xmit_discards", "excessive_buffer_overrun_errors"}},
      {"congestion", {"np_cnp_sent", "np_ecn_marked_roce_packets", "rp_cnp_handled"}},
  };
  for (const auto& [row, names] : counters)
    for (const char* name : names) cases.push_back({row, counted(name)});
  return cases;
}

TEST(Causes, EachRowIsNamedByTheEvidenceForIt) {
  for (const RowCase& c : rowCases()) {
    const std::vector<Cause> causes = likelyCauses(c.evidence);
    ASSERT_EQ(causes.size(), 1u) << c.row;
    EXPECT_EQ(causes[0].name, c.row);
    EXPECT_NE(causes[0].next, "") << c.row;
    EXPECT_EQ(causes[0].text.find_first_of("%@"), std::string::npos) << causes[0].text;
    EXPECT_EQ(causes[0].text.find("mlx5_1:1") != std::string::npos, c.rail) << causes[0].text;
    EXPECT_EQ(causes[0].text.find("mlx5_0:1"), std::string::npos) << causes[0].text;
  }
}

TEST(Causes, NothingSeenIsSaidToBeNothing) {
  const std::vector<Cause> causes = likelyCauses(healthy());
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].name, "unknown");
}

// A link that flaps loses packets, too: the cause comes before its effects.
TEST(Causes, TheMoreTellingComesFirst) {
  Evidence e = with(Symptom::kCompletion, IBV_WC_RETRY_EXC_ERR);
  e.rails[1].changes = {{"local_ack_timeout_err", 9}, {"symbol_error", 40}, {"link_downed", 1}};
  std::vector<std::string_view> names;
  for (const Cause& c : likelyCauses(e)) names.push_back(c.name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"link-down", "bit-errors", "silence", "packet-loss"}));
}

// A peer that dies takes its queue pairs along; the retries that run out then are no link's fault.
TEST(Causes, APeerThatDiesIsToldFromALinkThatDies) {
  Evidence died = with(Symptom::kCompletion, IBV_WC_RETRY_EXC_ERR);
  died.ending = Ending::kPeerDied;
  EXPECT_EQ(likelyCauses(died).front().name, "peer-died");
  Evidence link = died;
  link.ending = Ending::kNoPath;
  EXPECT_EQ(likelyCauses(link).front().name, "silence");
}

}  // namespace
}  // namespace polyrail::net
