// SPDX-License-Identifier: Apache-2.0
// Each situation of situations.txt through the whole of enumeration: settings from the environment, /sys from a
// folder.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "net/device/enumerate.h"
#include "net/device/fusion.h"
#include "test/unit/net-device/situation.h"

namespace polyrail::net {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::string rest(const Words& words, size_t from) {
  std::string text;
  for (size_t i = from; i < words.size(); i++) text += (i > from ? " " : "") + words[i];
  return text;
}

std::vector<Situation> all() {
  const char* top = std::getenv("POLYRAIL_TOP");
  return readSituations(std::string(top ? top : ".") + "/test/unit/net-device/situations.txt");
}

class Outcome {
 public:
  explicit Outcome(const SysRoot& root) : settings_(readNetSettings()) {
    found_ = enumerateRecorded(root, settings_.device).value();
    plan_ = planFusion(found_.ports, settings_.device, findLocality(found_.ports, root));
  }

  void check(const Words& words) {
    using Check = void (Outcome::*)(const Words&);
    static const std::map<std::string, Check> kChecks = {{"use", &Outcome::use},         {"refuse", &Outcome::refuse},
                                                         {"note", &Outcome::note},       {"warn", &Outcome::warn},
                                                         {"problem", &Outcome::problem}, {"fused", &Outcome::fused},
                                                         {"unfused", &Outcome::unfused}, {"rail", &Outcome::rail},
                                                         {"path", &Outcome::path},       {"pkey", &Outcome::pkey}};
    const auto it = kChecks.find(words[0]);
    if (it != kChecks.end()) (this->*it->second)(words);
  }
  // What is used and not expected is as wrong as the reverse.
  void nothingElse() const { EXPECT_EQ(found_.ports.size(), used_); }

 private:
  void use(const Words& words) {
    ASSERT_LT(used_, found_.ports.size()) << words[1] << " is not used: " << reasons(words[1]);
    EXPECT_EQ(found_.ports[used_].name(), words[1]);
    EXPECT_EQ(std::to_string(found_.ports[used_].gid.index), words[2]) << found_.ports[used_].gid.why;
    used_++;
  }
  void refuse(const Words& words) { EXPECT_THAT(reasons(words[1]), HasSubstr(rest(words, 2))); }
  void note(const Words& words) { EXPECT_THAT(port(words[1]).notes, Contains(HasSubstr(rest(words, 2)))); }
  void warn(const Words& words) { EXPECT_THAT(found_.warnings, Contains(rest(words, 1))); }
  void problem(const Words& words) { EXPECT_THAT(settings_.problems, Contains(HasSubstr(rest(words, 1)))); }
  void unfused(const Words& words) { EXPECT_THAT(plan_.problems, Contains(HasSubstr(rest(words, 1)))); }
  void fused(const Words& words) { EXPECT_THAT(groups(), Contains(words[1])); }
  void rail(const Words& words) {
    EXPECT_EQ(std::to_string(port(words[1]).rail), words[2]);
    EXPECT_EQ(std::to_string(port(words[1]).plane), words[3]);
  }
  void pkey(const Words& words) {
    EXPECT_EQ(std::to_string(port(words[1]).pkey.index), words[2]);
    EXPECT_EQ(port(words[1]).pkey.value, std::stoul(words[3], nullptr, 16));
  }
  void path(const Words& words) {
    const Port& p = port(words[1]);
    EXPECT_EQ(p.pciPath, words[2] == "-" ? "" : "/sys/devices/pci0000:00/" + words[2]);
    EXPECT_EQ(std::to_string(p.realPort), words[3]);
  }
  std::string reasons(const std::string& name) const {
    for (const RefusedPort& r : found_.refused)
      if (r.name == name) return r.reason;
    return "(not refused)";
  }
  const Port& port(const std::string& name) const {
    static const Port kNone;
    for (const Port& p : found_.ports)
      if (p.name() == name) return p;
    ADD_FAILURE() << name << " is not used";
    return kNone;
  }
  std::vector<std::string> groups() const {
    std::vector<std::string> names;
    for (const FusedGroup& group : plan_.groups) {
      std::string name;
      for (const int i : group.ports) name += (name.empty() ? "" : "+") + found_.ports[static_cast<size_t>(i)].name();
      names.push_back(name);
    }
    return names;
  }

  NetSettings settings_;
  Enumeration found_;
  FusionPlan plan_;
  size_t used_ = 0;
};

class SituationTest : public testing::TestWithParam<Situation> {};

TEST_P(SituationTest, ComesOutAsItShould) {
  const BuiltSituation built(GetParam());
  Outcome outcome(built.root());
  for (const Words& words : GetParam().lines) outcome.check(words);
  outcome.nothingElse();
}

INSTANTIATE_TEST_SUITE_P(FromText, SituationTest, testing::ValuesIn(all()),
                         [](const testing::TestParamInfo<Situation>& one) {
                           std::string name;
                           for (const char c : one.param.name) name += std::isalnum(c) ? c : '_';
                           return name;
                         });

TEST(Situations, ThereAreThirtyAndMore) { EXPECT_GE(all().size(), 30u); }

}  // namespace
}  // namespace polyrail::net
