// SPDX-License-Identifier: Apache-2.0
// Explain cannot disagree with the plugin: for any policy, shape and call its choice is that of decide(), and NCCL's
// two selection rules then pick it.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "cli/model/cost_model.h"
#include "cli/model/selection.h"
#include "test/unit/explain/fixtures.h"

namespace polyrail::cli {
namespace {

using nccl::Algorithm;
using nccl::Protocol;

bool coin() { return *rc::gen::arbitrary<bool>(); }
uint64_t anySize() { return *rc::gen::inRange<uint64_t>(0, 2ull << *rc::gen::inRange(0, 34)); }

nccl::Collective anyCollective() {
  return static_cast<nccl::Collective>(*rc::gen::inRange(0, nccl::kNumCollectives));
}

// Often Ring, which is nearly always allowed.
Choice anyChoice() {
  const auto a = coin() ? Algorithm::kRing : static_cast<Algorithm>(*rc::gen::inRange(0, nccl::kNumAlgorithms));
  const auto p = static_cast<Protocol>(*rc::gen::inRange(0, nccl::kNumProtocols));
  Choice c = choice(a, p, {}, coin() ? *rc::gen::inRange(1, 500) : 0);
  if (coin()) c.channels = *rc::gen::inRange(1, 65);
  return c;
}

Rule anyRule(bool uniform) {
  Rule r;
  r.from = anySize();
  r.to = coin() ? kNoLimit : r.from + 1 + anySize();
  if (*rc::gen::inRange(0, 4) == 0) r.pipeOps = Range{1, *rc::gen::inRange<uint64_t>(1, 9)};
  if (uniform && *rc::gen::inRange(0, 4) == 0) r.regBuff = coin();
  const int count = *rc::gen::inRange(1, 4);
  for (int i = 0; i < count; i++) r.choices.push_back(anyChoice());
  return r;
}

polyrail::Table anyTable(bool uniform) {
  polyrail::Table t;
  t.collective = anyCollective();
  if (coin()) t.layout.nodes = {1, *rc::gen::inRange<uint64_t>(1, 9)};
  if (coin()) t.layout.ranksPerNode = {*rc::gen::inRange<uint64_t>(1, 5), 8};
  if (coin()) t.maxChannels = *rc::gen::inRange(1, 65);
  const int count = *rc::gen::inRange(0, 5);
  for (int i = 0; i < count; i++) t.rules.push_back(anyRule(uniform));
  std::sort(t.rules.begin(), t.rules.end(), [](const Rule& a, const Rule& b) { return a.from < b.from; });
  return t;
}

Policy anyPolicy() {
  Policy p;
  p.options.uniformApplication = coin();
  p.options.allGatherChannels = coin();
  const int count = *rc::gen::inRange(1, 5);
  for (int i = 0; i < count; i++) p.tables.push_back(anyTable(p.options.uniformApplication));
  return p;
}

// Anything at all.
void askAnything(ExplainQuestion& q) {
  q.collective = anyCollective();
  q.totalBytes = anySize();
  q.shape.nodes = *rc::gen::inRange<uint64_t>(1, 9);
  q.shape.ranks = q.shape.nodes * *rc::gen::inRange<uint64_t>(1, 9) + (*rc::gen::inRange(0, 8) == 0);
  q.shape.ranks = std::max<uint64_t>(2, q.shape.ranks);
}

// Something that a rule of the policy may be for.
void askForARule(const Policy& policy, ExplainQuestion& q) {
  const polyrail::Table& t = *rc::gen::elementOf(policy.tables);
  if (t.rules.empty()) return askAnything(q);
  const Rule& r = *rc::gen::elementOf(t.rules);
  q.collective = t.collective;
  q.shape.nodes = std::min<uint64_t>(t.layout.nodes.max, *rc::gen::inRange<uint64_t>(1, 9));
  q.shape.ranks = q.shape.nodes * std::max<uint64_t>(t.layout.ranksPerNode.min, q.shape.nodes == 1 ? 4 : 2);
  q.totalBytes = r.from + *rc::gen::inRange<uint64_t>(0, 3);
  if (nccl::keyedPerRank(q.collective)) q.totalBytes *= q.shape.ranks;
}

ExplainQuestion anyQuestion(const Policy& policy) {
  ExplainQuestion q;
  *rc::gen::inRange(0, 4) == 0 ? askAnything(q) : askForARule(policy, q);
  q.version = *rc::gen::element(22203, 22304, 22403, 22809, 23007);
  q.shape.abi = tunerAbi(q.version);
  q.pipeOps = *rc::gen::inRange(1, 10);
  q.registered = *rc::gen::element(Registered::kUnknown, Registered::kNo, Registered::kYes);
  return q;
}

CostModel anyMachine(const ExplainQuestion& q) {
  nccl::Machine m;
  m.ranks = static_cast<int>(q.shape.ranks);
  m.nodes = static_cast<int>(q.shape.nodes);
  m.collNet = coin();
  m.collNetHeads = 8;
  m.ll128 = coin();
  m.graphs.fill(nccl::Graph{*rc::gen::inRange(1, 17), 20, 20});
  return costModel(m);
}

// What NCCL would hand to the plugin; six algorithms before 2.23.
struct Handed {
  std::vector<float> costs;
  int algorithms;
};
Handed handed(const ExplainQuestion& q, const CostModel& table) {
  const nccl::ModelShape shape{q.shape.ranks, q.shape.nodes, 16, false, false, q.version};
  nccl::CostTimes times = predictedTimes(table, shape, {q.collective, q.totalBytes, q.pipeOps});
  applyGates({q.shape.ranks, q.shape.nodes, q.version, "", "", {}, &table}, q.collective, times);
  const int algorithms = q.version < 22304 ? 6 : 7;
  return {{times[0].data(), times[0].data() + algorithms * 3}, algorithms};
}

void expectAgreement(const Policy& policy, ExplainQuestion q) {
  const CostModel table = anyMachine(q);
  q.table = &table;
  const Result<Snapshot> snapshot = Snapshot::compile(policy, q.shape);
  const Result<Explanation> e = explain(policy, q);
  RC_ASSERT(e.ok() == snapshot.ok());
  if (!e.ok()) return;

  Handed before = handed(q, table), after = before;
  const Request request{static_cast<int>(q.collective), q.totalBytes, q.pipeOps, q.registered};
  int channels = 0;
  const Decision d = decide(snapshot.value(), request, {after.costs.data(), after.algorithms, 3}, &channels);
  RC_ASSERT(e.value().outcome == d.outcome);
  RC_ASSERT((d.outcome == Outcome::kNoRule) == !e.value().nearest.empty());
  const ChoiceView* taken = e.value().chosen();
  RC_ASSERT((taken != nullptr) == (d.outcome == Outcome::kDecided));
  const auto rule = coin() ? nccl::SelectionRule::kUntil230 : nccl::SelectionRule::kFrom231;
  const auto picked = select(rule, before.costs, after.costs, 3);
  if (taken != nullptr) {
    RC_ASSERT(taken->setChannels == channels);
    RC_ASSERT(picked->algorithm == static_cast<int>(taken->choice->algorithm));
    RC_ASSERT(picked->protocol == static_cast<int>(taken->choice->protocol));
    const auto& from = policy.tables[e.value().origin->table].rules[e.value().origin->rule].choices;
    RC_ASSERT(taken->choice >= from.data() && taken->choice < from.data() + from.size());
  } else if (picked) {
    RC_ASSERT(picked->algorithm == static_cast<int>(e.value().ncclDefault->algorithm));
    RC_ASSERT(picked->protocol == static_cast<int>(e.value().ncclDefault->protocol));
  }
}

RC_GTEST_PROP(ExplainProperty, ChoosesWhatThePluginChooses, ()) {
  const Policy policy = anyPolicy();
  for (int i = 0; i < 10; i++) expectAgreement(policy, anyQuestion(policy));
}

}  // namespace
}  // namespace polyrail::cli
