// SPDX-License-Identifier: Apache-2.0
// bash and zsh share one shape: find the verb (and its command) among the words, then a case of what may follow.
#include "docs/generate/completions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace polyrail::docs {
namespace {

void collect(const CommandTree& command, std::vector<const CommandTree*>& out) {
  for (const CommandTree& child : command.children) {
    out.push_back(&child);
    collect(child, out);
  }
}

// What completes an argument, as a call of the script's own functions.
std::string offer(const OptionTree& o) {
  switch (o.takes) {
    case Takes::kOneOf: return fmt::format("_polyrail_words {}", fmt::join(o.values, " "));
    case Takes::kFile: return "_polyrail_files";
    case Takes::kPolicy: return "_polyrail_policies";
    case Takes::kFolder: return "_polyrail_folders";
    default: return ":";
  }
}

std::string optionNames(const CommandTree& c) {
  std::string names;
  for (const OptionTree& o : c.options)
    if (!o.positional) names += fmt::format("{}{}", names.empty() ? "" : " ", fmt::join(o.names, " "));
  return names;
}

std::string childNames(const CommandTree& c) {
  std::string names;
  for (const CommandTree& child : c.children)
    names += (names.empty() ? "" : " ") + child.name.substr(child.name.rfind(' ') + 1);
  return names;
}

std::string cases(const CommandTree& command) {
  std::string after, rest;
  for (const CommandTree* c : allCommands(command)) {
    std::string positional = c->children.empty() ? ":" : "_polyrail_words " + childNames(*c);
    for (const OptionTree& o : c->options) {
      if (o.positional) positional = offer(o);
      if (o.positional || o.takes == Takes::kNothing) continue;
      for (const std::string& name : o.names)
        after += fmt::format("    '{} {}') {}; return ;;\n", c->name, name, offer(o));
    }
    rest += fmt::format("    '{}') if [[ $cur == -* ]]; then _polyrail_words {}; else {}; fi ;;\n", c->name,
                        optionNames(*c), positional);
  }
  return fmt::format(
      "  case \"$where $prev\" in\n{}  esac\n  case $where in\n{}    help) _polyrail_words {} ;;\n"
      "    '') _polyrail_words {} help --help --version ;;\n  esac\n",
      after, rest, childNames(command), childNames(command));
}

std::string commandsWithChildren(const CommandTree& command) {
  std::string names;
  for (const CommandTree& c : command.children)
    if (!c.children.empty()) names += (names.empty() ? "" : "|") + c.name;
  return names.empty() ? "''" : names;
}

}  // namespace

std::vector<const CommandTree*> allCommands(const CommandTree& command) {
  std::vector<const CommandTree*> out;
  collect(command, out);
  return out;
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string bashCompletion(const CommandTree& command) {
  return fmt::format(
      R"(# SPDX-License-Identifier: Apache-2.0
# bash completion of polyrail; generated from its option declarations.
_polyrail_words() {{ COMPREPLY+=($(compgen -W "$*" -- "$cur")); }}
_polyrail_paths() {{ local IFS=$'\n'; compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen "$@" -- "$cur")); }}
_polyrail_files() {{ _polyrail_paths -f; }}
_polyrail_folders() {{ _polyrail_paths -d; }}
_polyrail_policies() {{ _polyrail_paths -f -X '!*.json'; _polyrail_paths -d; }}
_polyrail() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev='' where='' i
  COMPREPLY=()
  ((COMP_CWORD > 1)) && where=${{COMP_WORDS[1]}}
  ((COMP_CWORD > 0)) && prev=${{COMP_WORDS[COMP_CWORD-1]}}
  case $where in {}) ((COMP_CWORD > 2)) && [[ ${{COMP_WORDS[2]}} != -* ]] && where+=" ${{COMP_WORDS[2]}}" ;; esac
{}}}
complete -F _polyrail polyrail
)",
      commandsWithChildren(command), cases(command));
}

std::string zshCompletion(const CommandTree& command) {
  return fmt::format(
      R"(#compdef polyrail
# SPDX-License-Identifier: Apache-2.0
# zsh completion of polyrail; generated from its option declarations.
_polyrail_words() {{ compadd -- "$@"; }}
_polyrail_files() {{ _files; }}
_polyrail_folders() {{ _files -/; }}
_polyrail_policies() {{ _files -g '*.json(-.)'; }}
_polyrail() {{
  local cur=${{words[CURRENT]}} prev=${{words[CURRENT-1]}} where=''
  ((CURRENT > 2)) && where=${{words[2]}}
  case $where in {}) ((CURRENT > 3)) && [[ ${{words[3]}} != -* ]] && where+=" ${{words[3]}}" ;; esac
{}}}
if [[ $funcstack[1] == _polyrail ]]; then _polyrail "$@"; else compdef _polyrail polyrail; fi
)",
      commandsWithChildren(command), cases(command));
}

}  // namespace polyrail::docs
