// SPDX-License-Identifier: Apache-2.0
#include "cli/read/secrets.h"

#include <algorithm>

#include "cli/read/number.h"
#include "cli/read/words.h"

namespace polyrail::read {
namespace {

constexpr std::string_view kHidden = "...";

// Parts of names whose value is nobody's business; compared in lower case.
constexpr std::string_view kNames[] = {"passw",  "passphrase", "pwd",        "secret",        "token",
                                       "apikey", "api-key",    "api_key",    "authorization", "bearer",
                                       "basic",  "credential", "access-key", "access_key",    "private"};
// How keys of well-known services begin (their own documentation), each followed by at least 8 more characters.
constexpr std::string_view kShapes[] = {"AKIA",  "ASIA",  "ghp_", "gho_",   "ghs_", "github_pat_", "glpat-",
                                        "xoxb-", "xoxp-", "hf_",  "nvapi-", "eyJ",  "sk-"};

bool isNameByte(char c) { return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || isDigit(c) || c == '_' || c == '-'; }

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  return out;
}

bool namesSecret(std::string_view name) {
  const std::string all = lower(name);
  return std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view s) { return contains(all, s); });
}

// Of the environment, as people spell them; "status=12" is no variable.
bool isVariable(std::string_view name) {
  return std::none_of(name.begin(), name.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
}

bool isQuote(char c) { return c == '"' || c == '\''; }

// "--password", "Token:", "Bearer": the next word is secret. The bare word "token" is not enough, shells say it
// often.
bool announcesSecret(std::string_view word) {
  while (!word.empty() && isQuote(word.front())) word.remove_prefix(1);
  if (word == "Bearer" || word == "Basic") return true;
  const bool option = startsWith(word, "-"), label = !word.empty() && word.back() == ':';
  if (!option && !label) return false;
  if (label) word.remove_suffix(1);
  while (!word.empty() && isQuote(word.back())) word.remove_suffix(1);
  return std::all_of(word.begin(), word.end(), isNameByte) && namesSecret(word);
}

// "TOKEN=abc", "--password=abc", "password:abc", "\"password\":\"abc\"": up to and with the sign.
size_t endOfName(std::string_view word) {
  for (size_t i = 1; i + 1 < word.size(); i++) {
    if (word[i] != '=' && word[i] != ':') continue;
    const size_t end = isQuote(word[i - 1]) ? i - 1 : i;
    size_t name = end;
    while (name > 0 && isNameByte(word[name - 1])) name--;
    if (name == end || isDigit(word[name])) continue;
    const std::string_view text = word.substr(name, end - name);
    if ((word[i] == '=' && isVariable(text) && !startsWith(text, "NCCL_")) || namesSecret(text)) return i + 1;
  }
  return 0;
}

// "https://me:abc@host": the place of "abc" and its length, or 0 and 0.
std::pair<size_t, size_t> passwordOfUrl(std::string_view word) {
  const size_t scheme = word.find("://");
  if (scheme == word.npos) return {0, 0};
  const size_t end = std::min(word.find('/', scheme + 3), word.size());
  const size_t at = word.substr(0, end).rfind('@');
  const size_t colon = word.find(':', scheme + 3);
  if (at == word.npos || at < scheme + 3) return {0, 0};
  return colon < at ? std::pair(colon + 1, at - colon - 1) : std::pair(scheme + 3, at - scheme - 3);
}

size_t keyByShape(std::string_view word) {
  for (std::string_view shape : kShapes) {
    const size_t at = word.find(shape);
    if (at != word.npos && (at == 0 || !isNameByte(word[at - 1])) && word.size() - at >= shape.size() + 8) return at;
  }
  return word.npos;
}

std::string masked(std::string_view word) {
  if (const size_t value = endOfName(word)) return std::string(word.substr(0, value)).append(kHidden);
  std::string out(word);
  if (const auto [at, length] = passwordOfUrl(word); length > 0) out.replace(at, length, kHidden);
  if (const size_t at = keyByShape(out); at != out.npos) out.replace(at, out.npos, kHidden);
  return out;
}

// Short options that carry a password: "sshpass -p x", "sshpass -px", "curl -u me:x".
std::string behind(std::string_view previous, std::string_view word) {
  if (contains(previous, "sshpass") && startsWith(word, "-p")) return word == "-p" ? "-p" : "-p...";
  const size_t colon = word.find(':');
  if ((previous == "-u" || previous == "--user") && colon != word.npos)
    return std::string(word.substr(0, colon + 1)).append(kHidden);
  return masked(word);
}

}  // namespace

std::string withoutSecrets(std::string_view line) {
  std::string out;
  std::string_view previous;
  bool secretNext = false;
  for (std::string_view word = nextWord(line); !word.empty(); word = nextWord(line)) {
    if (!out.empty()) out += ' ';
    const bool announces = announcesSecret(word) || (word == "-p" && contains(previous, "sshpass"));
    out += secretNext && !announces ? std::string(kHidden) : behind(previous, word);
    secretNext = announces;
    previous = word;
  }
  return out;
}

}  // namespace polyrail::read
