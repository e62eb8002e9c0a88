// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "cli/explain/explanation.h"
#include "cli/explain/no_match.h"
#include "cli/explain/notes.h"

namespace polyrail::cli {
namespace {

using nccl::Algorithm;
using nccl::Protocol;

constexpr float kUnknownUs = 1e6f;  // stands for "allowed, cost unknown" where no log gives NCCL's table

size_t index(Algorithm a) { return static_cast<size_t>(a); }
size_t index(Protocol p) { return static_cast<size_t>(p); }

nccl::GateContext gates(const ExplainQuestion& q) {
  return {q.shape.ranks, q.shape.nodes, q.version, q.type, q.redop, q.filter, q.table};
}

// The pool matters only to where a network ring's plateau begins; NCCL's usual number will do.
nccl::ModelShape modelShape(const ExplainQuestion& q) {
  nccl::ModelShape shape;
  shape.ranks = q.shape.ranks;
  shape.nodes = q.shape.nodes;
  shape.pool = q.pool.value_or(16);
  shape.version = q.version;
  takeGpu(shape, q.gpu);
  return shape;
}

nccl::ModelCall modelCall(const ExplainQuestion& q) { return {q.collective, q.totalBytes, q.pipeOps}; }

// The table NCCL would hand to the plugin: its own where a log gives it, otherwise alike for all it could allow.
nccl::CostTimes ncclTable(const ExplainQuestion& q) {
  nccl::CostTimes times;
  for (auto& row : times) row.fill(kUnknownUs);
  if (q.table != nullptr) times = predictedTimes(*q.table, modelShape(q), modelCall(q));
  applyGates(gates(q), q.collective, times);
  return times;
}

EntryView entryView(const ExplainQuestion& q, const nccl::CostTimes& times, Algorithm a, Protocol p) {
  EntryView view{a, p, {}, gate(gates(q), q.collective, a, p)};
  const float us = times[index(a)][index(p)];
  if (q.table != nullptr && us >= 0) view.ncclUs = us;
  return view;
}

std::vector<EntryView> entryViews(const ExplainQuestion& q, const nccl::CostTimes& times) {
  std::vector<EntryView> views;
  for (int a = 0; a < nccl::kNumAlgorithms; a++) {
    for (int p = 0; p < nccl::kNumProtocols; p++) {
      const auto algorithm = static_cast<Algorithm>(a);
      const auto protocol = static_cast<Protocol>(p);
      if (hasKernel(q.collective, algorithm, protocol)) views.push_back(entryView(q, times, algorithm, protocol));
    }
  }
  return views;
}

// A ring of at most 12 GB/s starts from fewer threads (NCCL's PCI_BW); Broadcast's bandwidth is the ring's.
bool slowRing(const CostModel* table) {
  if (table == nullptr) return false;
  const double bandwidth = table->bandwidthGBs[0][index(Algorithm::kRing)][index(Protocol::kSimple)];
  return bandwidth > 0 && bandwidth <= 12;
}

nccl::ChannelPlan plan(const ExplainQuestion& q, int pool, Algorithm a, Protocol p, int requested) {
  nccl::ChannelQuestion c;
  c.collective = q.collective;
  c.algorithm = a;
  c.protocol = p;
  c.totalBytes = q.totalBytes;
  c.ranks = static_cast<int>(std::clamp<uint64_t>(q.shape.ranks, 2, INT32_MAX));
  c.nodes = static_cast<int>(std::clamp<uint64_t>(q.shape.nodes, 1, INT32_MAX));
  c.pool = pool;
  c.nvlsChannels = q.nvlsChannels.value_or(16);
  c.requested = requested;
  c.slowRing = slowRing(q.table);
  c.version = q.version;
  return planChannels(c);
}

std::optional<double> predictedUs(const Choice& choice, uint64_t bytes) {
  if (!choice.time) return std::nullopt;
  return choice.time->baseUs + choice.time->usPerMib * static_cast<double>(bytes) / (1 << 20);
}

Request requestOf(const ExplainQuestion& q) {
  return {static_cast<int>(q.collective), q.totalBytes, q.pipeOps, q.registered};
}

// Exactly what the plugin does with this call.
Decision ask(const Snapshot& snapshot, const ExplainQuestion& q, nccl::CostTimes& times) {
  const Request request = requestOf(q);
  int channels = 0, algorithm = -1, protocol = -1;
  if (q.shape.abi <= 2) return decideUnchecked(snapshot, request, &algorithm, &protocol, &channels);
  const int algorithms = q.version < 22304 ? nccl::kNumAlgorithms - 1 : nccl::kNumAlgorithms;
  return decide(snapshot, request, {times[0].data(), algorithms, nccl::kNumProtocols}, &channels);
}

void viewPool(Explanation& e) {
  const std::optional<int> said = e.question->pool     ? e.question->pool
                                  : e.table != nullptr ? e.table->maxChannels
                                                       : std::nullopt;
  e.poolKnown = said.has_value();
  e.pool = std::clamp(said.value_or(nccl::kMaxChannels), 1, nccl::kMaxChannels);
}

ChoiceView choiceView(const Explanation& e, const nccl::CostTimes& times, const Choice& choice, int setChannels) {
  const ExplainQuestion& q = *e.question;
  ChoiceView view;
  view.choice = &choice;
  view.predictedUs = predictedUs(choice, q.totalBytes);
  view.setChannels = setChannels;
  view.channels = plan(q, e.pool, choice.algorithm, choice.protocol, setChannels);
  view.entry = entryView(q, times, choice.algorithm, choice.protocol);
  return view;
}

void viewRule(Explanation& e, const Policy& policy, const Snapshot& snapshot, const Decision& d,
              const nccl::CostTimes& times) {
  const std::span<const CompiledChoice> compiled = snapshot.find(requestOf(*e.question));
  if (compiled.empty()) return;
  e.origin = snapshot.explain(requestOf(*e.question));
  e.table = &policy.tables[e.origin->table];
  e.rule = &e.table->rules[e.origin->rule];
  viewPool(e);
  for (size_t i = 0; i < compiled.size(); i++) {
    e.choices.push_back(choiceView(e, times, e.rule->choices[i], compiled[i].channels));
    e.choices.back().taken = d.outcome == Outcome::kDecided && d.choice == &compiled[i];
  }
}

void viewDefault(Explanation& e, const nccl::CostTimes& times) {
  const ExplainQuestion& q = *e.question;
  if (q.table == nullptr) return;
  e.ncclDefault = defaultChoice(*q.table, modelShape(q), modelCall(q), times);
  if (!e.ncclDefault) return;
  e.defaultChannels = plan(q, e.pool, e.ncclDefault->algorithm, e.ncclDefault->protocol, 0);
}

}  // namespace

const ChoiceView* Explanation::chosen() const {
  for (const ChoiceView& view : choices)
    if (view.taken) return &view;
  return nullptr;
}

int tunerAbi(int version) {
  static constexpr std::pair<int, int> kSince[] = {{23003, 6}, {22803, 5}, {22403, 4}, {22203, 3}, {22105, 2}};
  for (const auto& [since, abi] : kSince)
    if (version >= since) return abi;
  return 0;
}

Result<Explanation> explain(const Policy& policy, const ExplainQuestion& question) {
  const Result<Snapshot> snapshot = Snapshot::compile(policy, question.shape);
  if (!snapshot.ok()) return snapshot.status();
  Explanation e;
  e.question = &question;
  const nccl::CostTimes before = ncclTable(question);
  nccl::CostTimes after = before;
  const Decision decision = ask(snapshot.value(), question, after);
  e.outcome = decision.outcome;
  viewPool(e);
  viewRule(e, policy, snapshot.value(), decision, before);
  if (e.rule == nullptr) e.nearest = nearestMiss(policy, question);
  e.entries = entryViews(question, before);
  viewDefault(e, before);
  e.notes = explanationNotes(e);
  return e;
}

}  // namespace polyrail::cli
