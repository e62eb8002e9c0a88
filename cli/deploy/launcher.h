// SPDX-License-Identifier: Apache-2.0
// From a launcher's template to the command lines that ask every node. Stateless.
#pragma once

#include <string>
#include <vector>

#include "common/status.h"

namespace polyrail::cli {

struct Launch {
  std::string line;                // for `sh -c`
  std::vector<std::string> hosts;  // whose answers it should bring
};

// A template is text for the shell in which {command} stands for what a node is to run, and either {host}, which
// makes one launch a host, or {hosts} (comma-separated) and {count}, which make one for all. These names stand for
// templates of their own: ssh, pdsh, srun, local (every "host" is this machine; for tries).
Result<std::vector<Launch>> launches(const std::string& launcher, const std::vector<std::string>& hosts,
                                     const std::string& command);

// True for text that a shell, and the shell behind ssh, takes as one word as it is.
bool isPlainWord(const std::string& word);

}  // namespace polyrail::cli
