// SPDX-License-Identifier: Apache-2.0
// A small policy and questions to it.
#pragma once

#include "cli/explain/explanation.h"

namespace polyrail::cli {

inline Choice choice(nccl::Algorithm a, nccl::Protocol p, std::optional<int> channels = {}, double baseUs = 0) {
  Choice c;
  c.algorithm = a;
  c.protocol = p;
  c.channels = channels;
  if (baseUs > 0) c.time = TimeModel{baseUs, 10};
  return c;
}

// AllReduce on 2..16 nodes of 8 ranks, 64 KiB..1 MiB: NVLSTree, then Tree, then Ring; and above 1 MiB in groups only.
inline Policy demoPolicy() {
  Rule middle;
  middle.from = 64 << 10;
  middle.to = 1 << 20;
  middle.choices = {choice(nccl::Algorithm::kNvlsTree, nccl::Protocol::kSimple, 16, 40),
                    choice(nccl::Algorithm::kTree, nccl::Protocol::kLl128, 16, 50),
                    choice(nccl::Algorithm::kRing, nccl::Protocol::kLl)};
  middle.evidence = Evidence{.12, .08, .15, .95, .03, 24, 7, 0, true};
  Rule grouped;
  grouped.from = 1 << 20;
  grouped.pipeOps = Range{2, kNoLimit};
  grouped.choices = {choice(nccl::Algorithm::kRing, nccl::Protocol::kSimple)};
  Table table;
  table.layout.nodes = {2, 16};
  table.layout.ranksPerNode = {8, 8};
  table.maxChannels = 16;
  table.rules = {middle, grouped};
  Policy policy;
  policy.name = "demo";
  policy.tables = {table};
  return policy;
}

inline ExplainQuestion demoQuestion(uint64_t bytes = 128 << 10) {
  ExplainQuestion q;
  q.totalBytes = bytes;
  q.shape.ranks = 32;
  q.shape.nodes = 4;
  q.shape.abi = 6;
  return q;
}

}  // namespace polyrail::cli
