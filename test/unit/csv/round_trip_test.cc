// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <algorithm>

#include "cli/csv/export.h"
#include "cli/csv/import.h"
#include "common/policy/policy_file.h"
#include "test/unit/policy/policy_gen.h"

namespace polyrail {
namespace {

using nccl::Collective;

// What both formats can say: exact shapes or any, one table a collective, aligned rules without equal neighbours, and
// a rule with a condition lists the choices of the one without after its own.
std::vector<Choice> distinct(const std::vector<Choice>& choices) {
  std::vector<Choice> out;
  for (const Choice& c : choices) {
    const auto same = [&](const Choice& o) { return o.algorithm == c.algorithm && o.protocol == c.protocol; };
    if (out.size() < kMaxChoices && std::none_of(out.begin(), out.end(), same)) out.push_back(c);
  }
  return out;
}

std::vector<Choice> anyChoices(Collective collective, int count) {
  std::vector<Choice> out;
  for (int i = 0; i < count; i++) {
    const Choice c = test::anyChoice(collective);
    out.push_back({c.algorithm, c.protocol, c.channels, {}, {}});
  }
  return distinct(out);
}

Layout anyLayout(bool exact) {
  const uint64_t nodes = *rc::gen::inRange<uint64_t>(1, 100), each = *rc::gen::inRange<uint64_t>(1, 9);
  Layout layout;
  const int kind = exact ? 2 : *rc::gen::inRange(0, 3);
  if (kind > 0) layout.nodes = {nodes, nodes};
  if (kind > 1) layout.ranksPerNode = {each, each};
  return layout;
}

Table anyTable(Collective c) {
  Table table;
  table.collective = c;
  table.layout = anyLayout(nccl::keyedPerRank(c));
  uint64_t from = 0;
  for (int i = *rc::gen::inRange(1, 6); i > 0; i--) {
    from += *rc::gen::inRange<uint64_t>(1, 1 << 20);
    Rule rule{from, from + *rc::gen::inRange<uint64_t>(1, 1 << 20), {}, {}, anyChoices(c, 2), {}};
    from = rule.to;
    if (*rc::gen::arbitrary<bool>()) {
      Rule special = rule;
      const uint64_t ops = *rc::gen::inRange<uint64_t>(0, 9);
      special.pipeOps = Range{ops, ops};
      special.choices = anyChoices(c, 1);
      special.choices.insert(special.choices.end(), rule.choices.begin(), rule.choices.end());
      special.choices = distinct(special.choices);
      table.rules.push_back(special);
    }
    table.rules.push_back(rule);
  }
  return table;
}

RC_GTEST_PROP(CsvRoundTrip, ImportOfExportIsTheSamePolicy, ()) {
  Policy p;
  for (Collective c : {Collective::kAllReduce, Collective::kAllGather, Collective::kBroadcast})
    p.tables.push_back(anyTable(c));
  const CsvExport written = exportCsv(p);
  for (const Remark& r : written.remarks) RC_ASSERT(r.text == "");
  const Result<CsvImport> read = importCsv(written.text, "t.csv", false);
  RC_ASSERT(read.ok());
  RC_ASSERT(read.value().remarks.empty());
  if (read.value().policy != p) RC_FAIL(written.text + writePolicy(p) + writePolicy(read.value().policy));
}

// Whatever the policy, what comes out is a file that can be read again.
RC_GTEST_PROP(CsvRoundTrip, ExportOfAnyPolicyCanBeRead, ()) {
  const Result<CsvImport> read = importCsv(exportCsv(test::anyPolicy()).text, "t.csv", true);
  RC_ASSERT(read.ok());
}

}  // namespace
}  // namespace polyrail
