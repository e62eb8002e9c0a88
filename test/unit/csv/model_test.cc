// SPDX-License-Identifier: Apache-2.0
// Import against the example tuner's own rule, written down plainly: the first row that matches and that NCCL allows.
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "cli/csv/import.h"

namespace polyrail {
namespace {

using nccl::Collective;

struct Question {
  Collective collective;
  uint64_t bytes, nodes, ranks, pipeOps;
  bool regBuff;
  uint32_t allowed;  // one bit a kernel that NCCL allows
};

bool allows(const Question& q, const Choice& c) {
  return q.allowed >> (static_cast<int>(c.algorithm) * 3 + static_cast<int>(c.protocol)) & 1;
}

std::optional<Choice> byRows(const std::vector<CsvRow>& rows, const Question& q) {
  for (const CsvRow& r : rows)
    if (r.collective == q.collective && q.bytes >= r.min && q.bytes <= r.max &&
        r.nodes.value_or(q.nodes) == q.nodes && r.ranks.value_or(q.ranks) == q.ranks &&
        r.pipeOps.value_or(q.pipeOps) == q.pipeOps && r.regBuff.value_or(q.regBuff) == q.regBuff &&
        allows(q, r.choice))
      return r.choice;
  return std::nullopt;
}

bool holds(const Table& t, const Question& q) {
  return t.collective == q.collective && t.layout.nodes.contains(q.nodes) &&
         t.layout.ranksPerNode.contains(q.ranks / q.nodes);
}

bool holds(const Rule& r, const Question& q, uint64_t size) {
  return size >= r.from && size < r.to && (!r.pipeOps || r.pipeOps->contains(q.pipeOps)) &&
         r.regBuff.value_or(q.regBuff) == q.regBuff;
}

std::optional<Choice> byPolicy(const Policy& policy, const Question& q) {
  const uint64_t size = nccl::keyedPerRank(q.collective) ? q.bytes / q.ranks : q.bytes;
  for (const Table& t : policy.tables)
    for (const Rule& r : t.rules) {
      if (!holds(t, q) || !holds(r, q, size)) continue;
      for (const Choice& c : r.choices)
        if (allows(q, c)) return c;
      return std::nullopt;
    }
  return std::nullopt;
}

bool flip() { return *rc::gen::arbitrary<bool>(); }
uint64_t between(uint64_t low, uint64_t high) { return *rc::gen::inRange<uint64_t>(low, high + 1); }

CsvRow anyRow() {
  CsvRow row;
  row.collective = flip() ? Collective::kAllReduce : Collective::kReduceScatter;
  row.min = between(0, 39);
  row.max = row.min + between(0, 39);
  // Three kernels at most, so that a rule's three choices are enough.
  row.choice.protocol = static_cast<nccl::Protocol>(between(0, 2));
  if (flip()) row.choice.channels = static_cast<int>(between(1, 64));
  if (flip()) row.nodes = between(1, 2);
  if (flip() || row.collective == Collective::kReduceScatter) row.ranks = 2 * between(1, 2);
  if (flip()) row.pipeOps = between(1, 2);
  if (flip()) row.regBuff = flip();
  return row;
}

Question anyQuestion() {
  Question q;
  q.collective = flip() ? Collective::kAllReduce : Collective::kReduceScatter;
  q.nodes = between(1, 2);
  q.ranks = q.nodes * between(1, 3);
  q.bytes = between(0, 82);
  if (nccl::keyedPerRank(q.collective)) q.bytes -= q.bytes % q.ranks;  // NCCL asks with nothing else
  q.pipeOps = between(1, 3);
  q.regBuff = flip();
  q.allowed = *rc::gen::arbitrary<uint32_t>();
  return q;
}

RC_GTEST_PROP(ImportModel, DecidesLikeTheRows, ()) {
  std::vector<CsvRow> rows(between(1, 7));
  std::string text;
  for (CsvRow& row : rows) {
    row = anyRow();
    text += toCsv(row) + "\n";
  }
  const Result<CsvImport> done = importCsv(text, "t.csv", true);
  RC_ASSERT(done.ok());
  for (int i = 0; i < 100; i++) {
    const Question q = anyQuestion();
    const bool same = byRows(rows, q) == byPolicy(done.value().policy, q);
    RC_ASSERT(same);
  }
}

}  // namespace
}  // namespace polyrail
