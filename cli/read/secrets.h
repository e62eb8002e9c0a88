// SPDX-License-Identifier: Apache-2.0
// Takes passwords and keys out of a log's line before it is printed or stored: launchers echo whole command lines and
// environments into logs, and people paste our output into tickets. Stateless.
#pragma once

#include <string>
#include <string_view>

namespace polyrail::read {

// `line` with single spaces between its words, and "..." in place of: the value of NAME=value (a variable of the
// environment that is not NCCL's), the word behind an option or a label that names a secret ("--password x", "-p x"
// of sshpass, "token: x", "Authorization: Bearer x"), the password of a URL ("https://me:x@host"), and words known by
// their shape (keys of AWS, GitHub, GitLab, Slack, JSON web tokens).
std::string withoutSecrets(std::string_view line);

}  // namespace polyrail::read
