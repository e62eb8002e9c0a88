// SPDX-License-Identifier: Apache-2.0
#include "cli/read/surroundings.h"

#include "cli/read/log_messages.h"
#include "cli/read/number.h"
#include "cli/read/words.h"

namespace polyrail::read {
namespace {

constexpr std::string_view kVariables[] = {"NCCL_ALGO",          "NCCL_PROTO",     "NCCL_MIN_NCHANNELS",
                                           "NCCL_MAX_NCHANNELS", "NCCL_MIN_CTAS",  "NCCL_MAX_CTAS",
                                           "NCCL_MIN_NRINGS",    "NCCL_MAX_NRINGS"};

bool isNameCharacter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || isDigit(c) || c == '_'; }

// The value behind "NAME=" or "NAME " (mpiexec -genv): up to its quote, or to a space, a quote, or the comma before
// the next name in "--export=ALL,NCCL_ALGO=Ring,NCCL_PROTO=LL".
std::string_view valueAt(std::string_view text) {
  if (text.empty() || isSpace(text[0])) return {};
  if (text[0] == '"' || text[0] == '\'') return text.substr(1, text.find(text[0], 1) - 1);
  size_t n = 0;
  for (; n < text.size() && !isSpace(text[n]) && text[n] != '"' && text[n] != '\'' && text[n] != ')'; n++)
    if (text[n] == ',' && text.find('=', n) < text.find(',', n + 1)) break;
  return text.substr(0, n);
}

// Whether the name at `at` is not the end of a longer one.
bool standsAlone(std::string_view line, size_t at, size_t length) {
  const bool before = at > 0 && isNameCharacter(line[at - 1]);
  const bool behind = at + length < line.size() && isNameCharacter(line[at + length]);
  return !before && !behind;
}

// Calls `take` with the value of every setting of `name` in the line.
template <typename Take>
void eachValue(std::string_view line, std::string_view name, Take take) {
  for (size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + name.size())) {
    const size_t end = at + name.size();
    if (!standsAlone(line, at, name.size()) || end >= line.size()) continue;
    const bool general = line.substr(0, at).find("genv") != std::string_view::npos && line[end] == ' ';
    if (line[end] == '=' || general) take(valueAt(line.substr(end + 1)));
  }
}

std::string testIn(std::string_view line) {
  while (!line.empty()) {
    std::string_view word = nextWord(line);
    while (!word.empty() && (word.back() == '\'' || word.back() == '"' || word.back() == ';' || word.back() == ','))
      word.remove_suffix(1);
    while (!word.empty() && (word.front() == '\'' || word.front() == '"')) word.remove_prefix(1);
    if (std::string test = testOfProgram(word); !test.empty()) return test;
  }
  return {};
}

bool unsets(std::string_view line) { return contains(line, "unset NCCL_"); }

}  // namespace

void Surroundings::takeSettings(std::string_view line, Forced& into) {
  for (std::string_view name : kVariables)
    eachValue(line, name, [&](std::string_view value) { takeVariable(into, name, value); });
}

// "### ALGO=Ring size=268435456", "=== NCCL_PROTO=LL ===": what it does not name is not forced in its section.
Surroundings::Found Surroundings::takeSection(std::string_view line) {
  Forced section;
  takeSettings(line, section);
  eachValue(line, "ALGO", [&](std::string_view value) { takeVariable(section, "NCCL_ALGO", value); });
  eachValue(line, "PROTO", [&](std::string_view value) { takeVariable(section, "NCCL_PROTO", value); });
  if (section.algorithm.empty() && section.protocol.empty()) return Found::kNothing;
  lasting_ = section;
  command_.reset();
  return Found::kSection;
}

void Surroundings::takeCommand(std::string_view line, std::string test) {
  test_ = std::move(test);
  command_.emplace(lasting_);
  takeSettings(line, *command_);
}

Surroundings::Found Surroundings::take(std::string_view line, const LineMarks& marks) {
  const std::string_view text = trim(line);
  if (startsWith(text, "##") || startsWith(text, "==") || startsWith(text, "--"))
    if (takeSection(text) == Found::kSection) return Found::kSection;
  if (!marks.program && !marks.variable) return Found::kNothing;
  if (marks.program)
    if (std::string test = testIn(text); !test.empty()) {
      takeCommand(text, std::move(test));
      return Found::kSomething;
    }
  if (!marks.variable) return Found::kNothing;
  if (unsets(text)) {
    if (contains(text, "NCCL_ALGO")) lasting_.algorithm.clear();
    if (contains(text, "NCCL_PROTO")) lasting_.protocol.clear();
    return Found::kSomething;
  }
  takeSettings(text, lasting_);
  return Found::kSomething;
}

void Surroundings::begin(RunFacts& facts) {
  facts.run.forced = command_ ? *command_ : lasting_;
  facts.programName = test_;
  command_.reset();
}

}  // namespace polyrail::read
