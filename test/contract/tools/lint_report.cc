// SPDX-License-Identifier: Apache-2.0
#include "test/contract/tools/lint_report.h"

#include <fmt/format.h>

#include <cstdio>

namespace polyrail::contract {
namespace {

constexpr size_t kMostLines = 8;  // of findings, and of what the plugin said

const char* word(CaseVerdict verdict) {
  switch (verdict) {
    case CaseVerdict::kPassed: return "passed";
    case CaseVerdict::kFailed: return "FAILED";
    default: return "skipped";
  }
}

void printLines(const std::string& text, const char* before, size_t most) {
  size_t lines = 0;
  for (size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    if (++lines <= most) fmt::print("{:30}{}{}\n", "", before, text.substr(begin, end - begin));
  }
  if (lines > most) fmt::print("{:30}{}… {} more\n", "", before, lines - most);
}

}  // namespace

void LintReport::add(const NetCase& netCase, int version, const CaseResult& result) {
  const bool failed = result.verdict == CaseVerdict::kFailed, skipped = result.verdict == CaseVerdict::kSkipped;
  failed_ += failed, skipped_ += skipped;
  all_.push_back({{"case", netCase.name},
                  {"version", version},
                  {"verdict", word(result.verdict)},
                  {"text", result.text},
                  {"said", result.said}});
  if (json_) return;
  fmt::print("{:<22} v{:<3} {:<8}{}\n", netCase.name, version, word(result.verdict),
             skipped ? result.text : netCase.shows);
  if (failed) printLines(result.text, "! ", kMostLines);
  if (failed || chatty_) printLines(result.said, "| ", chatty_ ? result.said.size() : kMostLines);
  fflush(stdout);
}

int LintReport::end() const {
  if (json_)
    fmt::print("{}\n", all_.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  else
    fmt::print("{} passed, {} failed, {} skipped\n", all_.size() - failed_ - skipped_, failed_, skipped_);
  return failed_ == 0 ? 0 : 1;
}

}  // namespace polyrail::contract
