// SPDX-License-Identifier: Apache-2.0
// Instructions of a message through the plugin on null NICs, verbs excluded. A program that counts them runs itself
// under callgrind, which counts only inside irecv, isend and test and not inside the (null) verbs that they call.
#pragma once

#include <cstddef>
#include <string>

namespace polyrail::contract {

struct Counted {
  unsigned rails = 1;
  size_t size = 8;
  unsigned messages = 4000;
  std::string plugin = "libnccl-net-polyrail.so";  // below the build folder
};

// What `self` is to do with the words that instructionsOf() gives it: moves the messages. Its exit status.
int moveCounted(char** words);
constexpr int kCountedWords = 4;

// Of one message, the difference of two runs of which one moves twice as many; set-up is left out. 0 when the
// program ends badly under valgrind.
double instructionsOf(const std::string& self, const Counted& what);

// Where it is not there, nothing can be counted.
bool haveValgrind();

}  // namespace polyrail::contract
