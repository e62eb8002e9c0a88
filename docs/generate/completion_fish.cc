// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "docs/generate/completions.h"

namespace polyrail::docs {
namespace {

// fish escapes a quote inside single quotes, and a backslash, with a backslash.
std::string fishQuoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "'";
}

std::string leaf(const CommandTree& c) { return c.name.substr(c.name.rfind(' ') + 1); }

// True in fish where the words so far name this command.
std::string seen(const CommandTree& c) {
  std::string out, name;
  for (const char ch : c.name + " ")
    if (ch != ' ')
      name += ch;
    else
      out += fmt::format("{}__fish_seen_subcommand_from {}", out.empty() ? "" : "; and ", name), name.clear();
  return out;
}

std::string offer(const OptionTree& o) {
  switch (o.takes) {
    case Takes::kOneOf: return fmt::format(" -a '{}'", fmt::join(o.values, " "));
    case Takes::kFile: return " -F";
    case Takes::kPolicy:
      return " -a '(for f in (commandline -ct)*.json; echo $f; end) (__fish_complete_directories)'";
    case Takes::kFolder: return " -a '(__fish_complete_directories)'";
    default: return "";
  }
}

std::string optionLine(const std::string& where, const OptionTree& o) {
  std::string line = fmt::format("complete -c polyrail -n '{}'", where);
  for (const std::string& name : o.names)
    if (!o.positional) line += (name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1));
  if (!o.positional && o.takes != Takes::kNothing) line += o.takes == Takes::kFile ? " -r" : " -x";
  return line + offer(o) + (o.positional ? "" : " -d " + fishQuoted(o.meaning)) + "\n";
}

std::string childLines(const CommandTree& c) {
  std::vector<std::string> names;
  for (const CommandTree& child : c.children) names.push_back(leaf(child));
  std::string text;
  for (const CommandTree& child : c.children)
    text += fmt::format("complete -c polyrail -n '{}; and not __fish_seen_subcommand_from {}' -a {} -d {}\n", seen(c),
                        fmt::join(names, " "), leaf(child), fishQuoted(child.summary));
  return text;
}

}  // namespace

std::string fishCompletion(const CommandTree& command) {
  std::string text =
      R"(# SPDX-License-Identifier: Apache-2.0
# fish completion of polyrail; generated from its option declarations.
complete -c polyrail -f
)";
  for (const CommandTree& v : command.children)
    for (const char* where : {"__fish_use_subcommand", "__fish_seen_subcommand_from help"})
      text += fmt::format("complete -c polyrail -n '{}' -a {} -d {}\n", where, v.name, fishQuoted(v.summary));
  for (const OptionTree& o : command.options) text += optionLine("__fish_use_subcommand", o);
  for (const CommandTree* c : allCommands(command)) {
    text += childLines(*c);
    for (const OptionTree& o : c->options) text += optionLine(seen(*c), o);
  }
  return text;
}

}  // namespace polyrail::docs
