// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/context.h"

#include <algorithm>
#include <map>
#include <set>

namespace polyrail::cli {
namespace {

Context said(const LabelledRun& r) {
  const std::string& network = r.run.network.empty() ? r.run.netPlugin : r.run.network;
  return {r.label, r.run.gpu, r.run.ncclVersion, r.run.tunerPlugin, network};
}

int known(const Context& c) { return !c.gpu.empty() + !c.ncclVersion.empty() + !c.network.empty(); }

bool agrees(const std::string& less, const std::string& more) { return less.empty() || less == more; }

// The campaign and the tuner plugin are always known: none is an answer.
bool covers(const Context& more, const Context& less) {
  return known(more) > known(less) && more.label == less.label && more.tunerPlugin == less.tunerPlugin &&
         agrees(less.gpu, more.gpu) && agrees(less.ncclVersion, more.ncclVersion) &&
         agrees(less.network, more.network);
}

// Contexts that no other one covers; what a less complete one may belong to.
std::vector<Context> complete(const std::set<Context>& all) {
  std::vector<Context> kept;
  for (const Context& c : all)
    if (std::none_of(all.begin(), all.end(), [&](const Context& other) { return covers(other, c); }))
      kept.push_back(c);
  return kept;
}

Context home(const Context& c, const std::vector<Context>& candidates) {
  const Context* only = nullptr;
  for (const Context& candidate : candidates) {
    if (!covers(candidate, c)) continue;
    if (only) return c;
    only = &candidate;
  }
  return only ? *only : c;
}

}  // namespace

std::string describe(const Context& c) {
  std::string text;
  const auto add = [&text](const char* what, const std::string& value) {
    if (value.empty()) return;
    text += text.empty() ? "" : ", ";
    text += what + value;
  };
  add("", c.gpu);
  add("NCCL ", c.ncclVersion);
  add("net ", c.network);
  add("tuner ", c.tunerPlugin);
  add("campaign ", c.label);
  return text.empty() ? "unknown hardware and NCCL" : text;
}

Contexts contextsOf(const std::vector<LabelledRun>& runs) {
  std::set<Context> distinct;
  for (const LabelledRun& r : runs) distinct.insert(said(r));
  const std::vector<Context> candidates = complete(distinct);

  std::map<Context, Context> homes;
  std::set<Context> used;
  for (const Context& c : distinct) used.insert(homes[c] = home(c, candidates));
  Contexts result;
  result.all.assign(used.begin(), used.end());
  for (const LabelledRun& r : runs) {
    const auto at = std::lower_bound(result.all.begin(), result.all.end(), homes[said(r)]);
    result.of.push_back(static_cast<size_t>(at - result.all.begin()));
  }
  return result;
}

}  // namespace polyrail::cli
