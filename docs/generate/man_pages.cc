// SPDX-License-Identifier: Apache-2.0
#include "docs/generate/man_pages.h"

#include <fmt/format.h>

#include <cstring>
#include <sstream>

#include "common/settings.h"

namespace polyrail::docs {
namespace {

std::string head(const std::string& page, int section, const std::string& summary) {
  return fmt::format("{}({}) \"\" \"polyrail {}\"\n\n# NAME\n\n{} - {}\n\n", page, section, POLYRAIL_VERSION, page,
                     escaped(summary));
}

std::string pageName(const CommandTree& verb) { return "polyrail-" + verb.name; }

std::string argument(const OptionTree& option) {
  switch (option.takes) {
    case Takes::kNothing: return "";
    case Takes::kText: return " _VALUE_";
    case Takes::kOneOf: return " _WORD_";
    case Takes::kFolder: return " _FOLDER_";
    case Takes::kFile:
    case Takes::kPolicy: return " _FILE_";
  }
  return "";
}

std::string synopsis(const CommandTree& verb) {
  std::string line = fmt::format("*polyrail {}* [_options_]", verb.name);
  if (!verb.children.empty()) return line + " _command_ ...\n\n";
  for (const OptionTree& o : verb.options)
    if (o.positional)
      line += fmt::format(" {}_{}_{}{}", o.required ? "" : "[", escaped(o.names[0]), o.many ? "..." : "",
                          o.required ? "" : "]");
    else if (o.required)
      line += fmt::format(" *{}*{}", escaped(o.names.back()), argument(o));
  return line + "\n\n";
}

std::string optionText(const OptionTree& option) {
  std::string line;
  for (const std::string& name : option.names)
    line += fmt::format("{}{}{}{}", line.empty() ? "" : ", ", option.positional ? "_" : "*", escaped(name),
                        option.positional ? "_" : "*");
  if (!option.positional) line += argument(option);
  std::string meaning = escaped(option.meaning);
  for (size_t i = 0; i < option.values.size(); i++)
    meaning += fmt::format("{}*{}*", i == 0 ? ". One of " : ", ", escaped(option.values[i]));
  return fmt::format("{}\n\t{}\n\n", line, meaning);
}

// Notes are laid out by hand for the terminal and stay so.
std::string footer(const CommandTree& command) {
  return command.footer.empty() ? "" : fmt::format("```\n{}\n```\n\n", command.footer);
}

std::string options(const CommandTree& command) {
  std::string text;
  for (const OptionTree& o : command.options) text += optionText(o);
  return text;
}

std::string subcommands(const CommandTree& verb) {
  std::string text = "# COMMANDS\n\n";
  for (const CommandTree& c : verb.children)
    text += fmt::format("## polyrail {}\n\n{}{}.\n\n{}{}", c.name, synopsis(c), escaped(c.summary), options(c),
                        footer(c));
  return text;
}

constexpr char kExitStatus[] =
    "# EXIT STATUS\n\n*0* done, *1* done and the answer is not good, *2* wrong usage, *3* bad input, *4* "
    "failure.\n\n";

std::string range(const Setting& s) {
  if (s.type == SettingType::kInteger) return fmt::format("a whole number from {} to {}", s.min, s.max);
  if (s.type == SettingType::kPath) return "a path";
  std::string words = escaped(s.words);
  for (size_t at = words.find('|'); at != words.npos; at = words.find('|', at)) words.replace(at, 1, ", ");
  return "one of " + words;
}

std::string settingText(const Setting& s) {
  return fmt::format("*{}*\n\t{}\n\n\tTakes {}. Default: {}.\n\n", escaped(s.name), escaped(s.meaning), range(s),
                     *s.fallback ? escaped(s.fallback) : "unset");
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c && std::strchr("\\*_~<>|", c)) out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  if (!out.empty() && std::strchr("#;-.[]`", out[0])) out.insert(0, "\\");
  return out;
}

std::string commandPage(const CommandTree& command, const std::string& fragment) {
  std::string text = head("polyrail", 1, command.summary) + "# SYNOPSIS\n\n*polyrail* _verb_ [_options_]\n\n";
  text += fragment + "# VERBS\n\n";
  for (const CommandTree& v : command.children)
    text += fmt::format("*{}*\n\t{}: *{}*(1).\n\n", v.name, escaped(v.summary), pageName(v));
  text += "*help* [_verb_]\n\tsays what a verb does.\n\n# OPTIONS\n\n" + options(command) + kExitStatus;
  return text + "# SEE ALSO\n\n*polyrail-policy*(5), *polyrail-tuner*(7), *polyrail-net*(7)\n";
}

std::string verbPage(const CommandTree& verb, const std::string& fragment) {
  std::string text = head(pageName(verb), 1, verb.summary) + "# SYNOPSIS\n\n" + synopsis(verb) + fragment;
  if (verb.children.empty()) {
    text += "# OPTIONS\n\n" + options(verb);
    if (!verb.footer.empty()) text += "# NOTES\n\n" + footer(verb);
  } else {
    text += subcommands(verb);
  }
  return text + kExitStatus + "# SEE ALSO\n\n*polyrail*(1), *polyrail-policy*(5)\n";
}

std::string pluginPage(const std::string& reader, const std::string& fragment) {
  std::string text = head("polyrail-" + reader, 7, "NCCL " + reader + " plugin") + fragment + "# ENVIRONMENT\n\n";
  text +=
      "A value that is out of its range is told once through NCCL's log, and the default counts. 1 and 0 are on and "
      "off.\n\n";
  for (const Setting& s : settings())
    if (reader == s.reader || std::string(s.name) == kSettingPolicy) text += settingText(s);
  return text + "# SEE ALSO\n\n*polyrail*(1), *polyrail-env*(1), *polyrail-policy*(5)\n";
}

}  // namespace polyrail::docs
