// SPDX-License-Identifier: Apache-2.0
#include "cli/learn/context_choice.h"

#include <fmt/format.h>

#include <algorithm>

namespace polyrail::cli {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool contains(const std::string& text, const std::string& part) {
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

std::string listOf(const Contexts& contexts, const std::vector<size_t>& which, const std::vector<size_t>& rows) {
  std::string text;
  for (size_t i : which) text += fmt::format("\n  {} ({} rows)", describe(contexts.all[i]), rows[i]);
  return text;
}

}  // namespace

Result<ChosenContext> chooseContext(const std::vector<LabelledRun>& runs, const std::string& wanted) {
  const Contexts contexts = contextsOf(runs);
  std::vector<size_t> rows(contexts.all.size()), fitting, others;
  for (size_t i = 0; i < runs.size(); i++)
    if (runs[i].run.collective) rows[contexts.of[i]] += runs[i].run.rows.size();
  for (size_t i = 0; i < contexts.all.size(); i++)
    if (rows[i] > 0) (contains(describe(contexts.all[i]), wanted) ? fitting : others).push_back(i);

  if (fitting.empty() && others.empty()) return Status::error("there is no row that a policy could be learned from");
  if (fitting.empty())
    return Status::error(
        fmt::format("no context contains '{}'; there are:{}", wanted, listOf(contexts, others, rows)));
  if (fitting.size() > 1)
    return Status::error(fmt::format(
        "the measurements come from {} contexts, whose times cannot be compared; choose one with --context TEXT:{}",
        fitting.size(), listOf(contexts, fitting, rows)));

  ChosenContext chosen{contexts.all[fitting[0]], {}, {}};
  for (size_t i = 0; i < runs.size(); i++)
    if (contexts.of[i] == fitting[0]) chosen.runs.push_back(&runs[i].run);
  for (size_t i : others)
    chosen.notes.push_back(
        fmt::format("{} rows of another context left aside: {}", rows[i], describe(contexts.all[i])));
  return chosen;
}

}  // namespace polyrail::cli
