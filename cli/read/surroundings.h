// SPDX-License-Identifier: Apache-2.0
// What stands around the tables in a log of a script: command lines, exported variables, section marks such as
// "### ALGO=Ring". It steers the next run that begins. Of all the text only test names and the variables that
// steer NCCL's choice are kept; values of other variables are not even looked at. One per file; one thread.
#pragma once

#include <optional>
#include <string>

#include "cli/read/line_marks.h"
#include "cli/read/run_facts.h"

namespace polyrail::read {

class Surroundings {
 public:
  enum class Found { kNothing, kSomething, kSection };

  // A line that is neither a row nor a header nor a log line. kSection: another section of a sweep begins here.
  Found take(std::string_view line, const LineMarks& marks);
  // Gives the run that begins what holds for it. A command line holds for one run, the rest until it changes.
  void begin(RunFacts& facts);

 private:
  Found takeSection(std::string_view line);
  void takeCommand(std::string_view line, std::string test);
  void takeSettings(std::string_view line, Forced& into);

  Forced lasting_;                 // exported, or said by a section mark
  std::optional<Forced> command_;  // of the command line that starts the next run
  std::string test_;               // its program
};

}  // namespace polyrail::read
