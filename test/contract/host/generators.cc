// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/generators.h"

#include <algorithm>

#include "common/policy/policy_file.h"

namespace polyrail {

void showValue(const Policy& policy, std::ostream& out) { out << writePolicy(policy); }

namespace contract {

void showValue(const CommShape& s, std::ostream& out) {
  out << s.ranks << " ranks on " << s.nodes << " nodes, " << s.nvlDomains.nNvlDomains << " NVLink domains of "
      << s.nvlDomains.minRanksPerNvlDomain << " to " << s.nvlDomains.maxRanksPerNvlDomain << ", channels "
      << s.channels << " + " << s.nvlsChannels << " NVLS, CollNet " << s.collNet << " on " << s.nicHeads
      << " NICs, LL128 " << s.ll128 << ", enabled" << std::hex;
  for (const uint32_t mask : s.enabled) out << ' ' << mask;
  out << std::dec;
}

void showValue(const Call& c, std::ostream& out) {
  out << "collective " << c.collective << ", " << c.bytes << " bytes, " << c.pipeOps << " operations"
      << (c.regBuff ? ", registered" : "") << (c.fp8 ? ", fp8" : "") << (c.average ? ", average" : "")
      << (c.allGatherV ? ", AllGatherV" : "");
}

namespace {

using nccl::Algorithm;
using nccl::Collective;
using nccl::Protocol;

constexpr uint64_t kTiB = uint64_t{1} << 40;

template <typename T>
T draw(T low, T highest) {
  return *rc::gen::inRange<T>(low, highest + 1);
}
bool oneIn(int n) { return draw(1, n) == 1; }

// As likely small as large.
uint64_t anySize() {
  const int bits = draw(0, 40);
  return std::min(kTiB, draw<uint64_t>(0, uint64_t{1} << bits) + (oneIn(2) ? (uint64_t{1} << bits) - 1 : 0));
}

Range anyRange(uint64_t most) {
  if (oneIn(3)) return {};
  const uint64_t low = draw<uint64_t>(0, most);
  return {low, oneIn(3) ? kNoLimit : std::max<uint64_t>(1, low + draw<uint64_t>(0, most))};
}

Choice anyChoice(Collective collective) {
  Choice c;
  do {
    c.algorithm = static_cast<Algorithm>(draw(0, nccl::kNumAlgorithms - 1));
    c.protocol = static_cast<Protocol>(draw(0, nccl::kNumProtocols - 1));
  } while (!nccl::hasKernel(collective, c.algorithm, c.protocol));
  if (oneIn(2)) c.channels = draw(1, nccl::kMaxChannels);
  const uint64_t grain = static_cast<uint64_t>(nccl::kGrainBytes[static_cast<int>(c.protocol)]);
  if (c.channels && oneIn(2)) c.chunkBytes = grain * draw<uint64_t>(1, oneIn(2) ? 8 : 100'000);
  if (oneIn(2)) c.time = TimeModel{draw(1, 1'000'000) / 1000.0, draw(0, 1'000'000) / 1000.0};
  return c;
}

Rule anyRule(Collective collective, const Options& options, uint64_t from, uint64_t to) {
  Rule rule;
  rule.from = from;
  rule.to = to;
  if (oneIn(4)) rule.pipeOps = Range{draw<uint64_t>(0, 3), draw<uint64_t>(3, 6)};
  if (options.uniformApplication && oneIn(3)) rule.regBuff = oneIn(2);
  for (int i = draw(1, 3); i > 0; i--) rule.choices.push_back(anyChoice(collective));
  return rule;
}

std::vector<Rule> anyRules(Collective collective, const Options& options) {
  std::vector<uint64_t> edges;
  for (int i = draw(0, 8); i > 0; i--) edges.push_back(anySize());
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  std::vector<Rule> rules;
  for (size_t i = 0; i < edges.size(); i++) {
    if (oneIn(5)) continue;  // a gap
    const bool last = i + 1 == edges.size();
    rules.push_back(anyRule(collective, options, edges[i], last ? kNoLimit : edges[i + 1]));
    if (!rules.back().pipeOps && !rules.back().regBuff) continue;
    Rule beneath = anyRule(collective, options, edges[i], rules.back().to);
    beneath.pipeOps.reset();
    beneath.regBuff.reset();
    rules.push_back(std::move(beneath));
  }
  return rules;
}

Table anyTable(const Options& options) {
  Table table;
  table.collective = static_cast<Collective>(draw(0, nccl::kNumCollectives - 1));
  table.layout = {.nodes = anyRange(8), .ranksPerNode = anyRange(8), .nvlDomains = {}, .ranksPerNvlDomain = {}};
  if (table.layout.ranksPerNode.max == 0) table.layout.ranksPerNode.max = 1;
  if (oneIn(8)) table.layout.nvlDomains = anyRange(4);
  if (oneIn(8)) table.layout.ranksPerNvlDomain = anyRange(8);
  if (oneIn(3)) table.maxChannels = draw(1, nccl::kMaxChannels);
  table.rules = anyRules(table.collective, options);
  return table;
}

Policy drawPolicy() {
  Policy policy;
  policy.name = "random";
  policy.options = {.uniformApplication = oneIn(2), .allGatherChannels = oneIn(4)};
  for (int i = draw(0, 6); i > 0; i--) policy.tables.push_back(anyTable(policy.options));
  return policy;
}

CommShape drawShape() {
  CommShape s;
  s.nodes = draw<size_t>(1, 16);
  s.ranks =
      oneIn(6) ? draw<size_t>(std::max<size_t>(2, s.nodes), 512) : s.nodes * draw<size_t>(s.nodes == 1 ? 2 : 1, 9);
  s.commId = draw<uint64_t>(0, UINT64_MAX - 1);
  s.channels = draw(1, nccl::kMaxChannels);
  s.nvlsChannels = oneIn(2) ? 0 : draw(2, 32);
  s.collNet = oneIn(2);
  s.ll128 = oneIn(2);
  s.nicHeads = draw(1, 8);
  const int domains = draw(1, 4);
  s.nvlDomains = {domains, draw(1, 4), draw(4, 9)};
  if (oneIn(3))
    for (uint32_t& mask : s.enabled)
      mask = draw<uint32_t>(1, (1u << 21) - 1) | (1u << 5);  // Ring/Simple always stays
  return s;
}

uint64_t nearAnEdge(const Policy& policy, const CommShape& shape, Call& call) {
  const Table& table = *rc::gen::elementOf(policy.tables);
  call.collective = static_cast<int>(table.collective);
  if (table.rules.empty()) return anySize();
  const Rule& rule = *rc::gen::elementOf(table.rules);
  const uint64_t edge = rule.to == kNoLimit || oneIn(2) ? rule.from : rule.to;
  const uint64_t total = nccl::keyedPerRank(table.collective) ? edge * shape.ranks : edge;
  return total + draw<uint64_t>(0, 2) - (total > 0 ? 1 : 0);
}

Call drawCall(const Policy& policy, const CommShape& shape) {
  Call call;
  call.collective = oneIn(10) ? draw(-2, 20) : draw(0, nccl::kNumCollectives - 1);
  call.bytes = !policy.tables.empty() && oneIn(2) ? nearAnEdge(policy, shape, call)
               : oneIn(20)                        ? SIZE_MAX
                                                  : anySize();
  call.pipeOps = oneIn(2) ? 1 : draw(1, 9);
  call.regBuff = oneIn(2);
  call.fp8 = oneIn(5);
  call.average = oneIn(5);
  call.allGatherV = call.collective == static_cast<int>(Collective::kAllGather) && oneIn(4);
  return call;
}

}  // namespace

// Never shrunk: a smaller draw would be replayed where another range holds.
rc::Gen<Policy> anyPolicy() { return rc::gen::noShrink(rc::gen::exec(drawPolicy)); }
rc::Gen<CommShape> anyShape() { return rc::gen::noShrink(rc::gen::exec(drawShape)); }
rc::Gen<Call> anyCall(const Policy& policy, const CommShape& shape) {
  return rc::gen::noShrink(rc::gen::exec([policy, shape] { return drawCall(policy, shape); }));
}

}  // namespace contract
}  // namespace polyrail
