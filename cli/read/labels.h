// SPDX-License-Identifier: Apache-2.0
// What launchers and log collectors put before a line ("12: ", "[1,0]<stdout>:", a pod's name, time stamps), and what
// NCCL puts before its messages. Stateless.
#pragma once

#include <string>
#include <string_view>

namespace polyrail::read {

// The part of a prefix that stays the same from line to line of one writer: without dates and times.
std::string labelOf(std::string_view prefix);

// What stands before "NCCL INFO", "[1,3]<stdout>:node000:28:28 [3] ", in its parts. The host is empty when it is not
// of that form.
struct LogPrefix {
  std::string_view tag;   // "[1,3]<stdout>:"
  std::string_view host;  // "node000"
};
LogPrefix splitLogPrefix(std::string_view prefix);

// Takes ANSI escape sequences out of `text`, into `scratch`.
std::string_view withoutEscapes(std::string_view text, std::string& scratch);

}  // namespace polyrail::read
