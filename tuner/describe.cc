// SPDX-License-Identifier: Apache-2.0
#include "tuner/describe.h"

namespace polyrail {
namespace {

std::string number(uint64_t n) { return std::to_string(n); }

std::string domains(const NvlDomains& nvl) {
  std::string text = ", " + number(nvl.count) + (nvl.count == 1 ? " NVLink domain of " : " NVLink domains of ");
  text += number(nvl.minRanks);
  if (nvl.maxRanks != nvl.minRanks) text += " to " + number(nvl.maxRanks);
  return text;
}

std::string conditions(const Rule& rule) {
  std::string text;
  if (rule.pipeOps) {
    text += " of " + number(rule.pipeOps->min);
    if (rule.pipeOps->max == kNoLimit)
      text += " or more";
    else if (rule.pipeOps->max != rule.pipeOps->min)
      text += " to " + number(rule.pipeOps->max);
    text += " operations";
  }
  if (rule.regBuff) text += *rule.regBuff ? " registered" : " unregistered";
  return text;
}

std::string describe(const Choice& choice) {
  std::string text(nccl::name(choice.algorithm));
  text.append("/").append(nccl::name(choice.protocol));
  if (choice.channels) text += " " + number(static_cast<uint64_t>(*choice.channels)) + " channels";
  if (choice.chunkBytes) text += " chunk " + number(*choice.chunkBytes);
  return text;
}

}  // namespace

std::string describe(const Shape& shape) {
  std::string text =
      number(shape.ranks) + " ranks on " + number(shape.nodes) + (shape.nodes == 1 ? " node" : " nodes");
  if (shape.nvl) text += domains(*shape.nvl);
  return text;
}

std::string describe(const Policy& policy, const Origin& origin) {
  const Table& table = policy.tables[origin.table];
  const Rule& rule = table.rules[origin.rule];
  std::string text = "tables[" + number(origin.table) + "].rules[" + number(origin.rule) + "]: ";
  text.append(nccl::name(table.collective)).append(" [").append(number(rule.from)).append(", ");
  text += rule.to == kNoLimit ? "no limit)" : number(rule.to) + ")";
  if (nccl::keyedPerRank(table.collective)) text += " per rank";
  text += conditions(rule) + " ->";
  for (size_t i = 0; i < rule.choices.size(); i++) text += (i ? ", " : " ") + describe(rule.choices[i]);
  return text;
}

}  // namespace polyrail
