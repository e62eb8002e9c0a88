// SPDX-License-Identifier: Apache-2.0
#include "test/unit/top/exposition.h"

#include <charconv>
#include <cmath>
#include <regex>
#include <set>
#include <sstream>

namespace polyrail::cli::test {
namespace {

const std::regex kComment(R"(# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*))");
const std::regex kSample(R"re(([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(.*)\})? (\S+))re");
const std::regex kLabel(R"re(([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(,|$))re");

bool readNumber(const std::string& text, double* value) {
  if (text == "+Inf") return *value = INFINITY, true;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(*value);
}

class Reader {
 public:
  Exposition run(const std::string& text) {
    if (text.empty() || text.back() != '\n') fail("the last line has no line feed");
    std::istringstream lines(text);
    for (std::string line; out_.error.empty() && std::getline(lines, line);) {
      number_++;
      take(line);
    }
    if (out_.error.empty()) endFamily();
    return out_;
  }

 private:
  void fail(const std::string& why) {
    if (out_.error.empty()) out_.error = "line " + std::to_string(number_) + ": " + why;
  }

  void take(const std::string& line) {
    std::smatch m;
    if (std::regex_match(line, m, kComment)) return comment(m[1], m[2], m[3]);
    if (!std::regex_match(line, m, kSample)) return fail("no sample: " + line);
    double value = 0;
    if (!readNumber(m[4], &value)) return fail("no number: " + m[4].str());
    sample(m[1], m[3], value);
  }

  void comment(const std::string& kind, const std::string& name, const std::string& rest) {
    static const std::set<std::string> kTypes = {"counter", "gauge", "histogram"};
    if (kind == "HELP") {
      endFamily();
      family_ = name;
      if (!helped_.insert(name).second) fail("HELP twice: " + name);
      if (rest.empty()) fail("no help");
      return;
    }
    if (name != family_ || out_.types.count(name)) return fail("TYPE out of place: " + name);
    if (!kTypes.count(rest)) return fail("no type: " + rest);
    if ((rest == "counter") != name.ends_with("_total")) fail("a counter ends in _total, and nothing else: " + name);
    out_.types[name] = rest;
  }

  void sample(const std::string& name, const std::string& labels, double value) {
    const std::string type = out_.types.count(family_) ? out_.types[family_] : "";
    const std::string suffix = name.starts_with(family_) ? name.substr(family_.size()) : "?";
    if (type.empty()) return fail("a sample before its TYPE: " + name);
    const bool fits =
        type == "histogram" ? suffix == "_bucket" || suffix == "_sum" || suffix == "_count" : suffix.empty();
    if (!fits) return fail("a sample of another family: " + name);
    std::string bound, others;
    if (!readLabels(labels, &bound, &others)) return;
    if (!out_.samples.emplace(name + "{" + labels + "}", value).second) return fail("twice: " + name + labels);
    if (type == "counter" && value < 0) fail("a counter below 0");
    if (suffix == "_bucket") bucket(others, bound, value);
    if (suffix == "_count" && open_[others] != value) fail("the count is not that of +Inf");
    if (suffix == "_count") open_.erase(others);
  }

  bool readLabels(const std::string& labels, std::string* bound, std::string* others) {
    std::set<std::string> seen;
    auto at = labels.cbegin();
    for (std::smatch m; at != labels.cend(); at = m[0].second) {
      if (!std::regex_search(at, labels.cend(), m, kLabel, std::regex_constants::match_continuous))
        return fail("no label: " + std::string(at, labels.cend())), false;
      if (!seen.insert(m[1]).second) return fail("a label twice: " + m[1].str()), false;
      if (m[1] == "le")
        *bound = m[2];
      else
        *others += m[0];
    }
    if (others->ends_with(",")) others->pop_back();
    return true;
  }

  void bucket(const std::string& series, const std::string& text, double value) {
    double bound = 0;
    if (!readNumber(text, &bound)) return fail("le is no number: " + text);
    if (series != series_) series_ = series, bound_ = 0, below_ = 0;
    if (bound <= bound_ || value < below_) return fail("a bucket does not rise");
    bound_ = bound, below_ = value;
    if (std::isinf(bound)) open_[series] = value;
  }

  void endFamily() {
    if (!open_.empty()) fail("a histogram without count");
    series_ = "?";
    open_.clear();
  }

  Exposition out_;
  int number_ = 0;
  std::string family_ = "?", series_ = "?";
  std::set<std::string> helped_;
  double bound_ = 0, below_ = 0;
  std::map<std::string, double> open_;  // histograms that miss their count
};

}  // namespace

Exposition readExposition(const std::string& text) { return Reader().run(text); }

}  // namespace polyrail::cli::test
