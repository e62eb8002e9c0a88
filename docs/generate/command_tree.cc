// SPDX-License-Identifier: Apache-2.0
#include "docs/generate/command_tree.h"

#include <algorithm>

#include "cli/verb.h"
#include "common/nccl/terms.h"

namespace polyrail::docs {
namespace {

using Names = std::vector<std::string>;

// What an option's argument is, where its declaration does not say.
struct Hint {
  const char* option;
  Takes takes;
};
constexpr Hint kHints[] = {
    {"--policy", Takes::kPolicy},    {"--to", Takes::kPolicy},   {"POLICY", Takes::kPolicy},
    {"FILE", Takes::kFile},          {"FILES", Takes::kFile},    {"CSV", Takes::kFile},
    {"--log", Takes::kFile},         {"--output", Takes::kFile}, {"--host-file", Takes::kFile},
    {"--store", Takes::kFile},       {"--root", Takes::kFolder}, {"DIR", Takes::kFolder},
    {"--libraries", Takes::kFolder}, {"--plugin", Takes::kFile}, {"--fault", Takes::kFile},
};
// Verbs whose FILE is a policy.
constexpr const char* kPolicyVerbs[] = {"check", "policy install", "policy show", "policy digest"};

// The set in "{a,b}" or "{a->0,b->1}" of a type's text; empty when there is none.
Names setIn(const std::string& type) {
  const size_t open = type.find('{'), close = type.find('}', open);
  Names out;
  if (open == type.npos || close == type.npos) return out;
  std::string word;
  for (const char c : type.substr(open + 1, close - open - 1) + ",")
    if (c != ',')
      word += c;
    else if (!word.empty())
      out.push_back(word.substr(0, word.find("->"))), word.clear();
  return out;
}

Takes hinted(const std::string& verb, const OptionTree& option) {
  for (const std::string& name : option.names)
    for (const Hint& hint : kHints)
      if (name == hint.option) {
        const bool policy =
            std::find(std::begin(kPolicyVerbs), std::end(kPolicyVerbs), verb) != std::end(kPolicyVerbs);
        return option.positional && policy ? Takes::kPolicy : hint.takes;
      }
  return option.positional ? Takes::kFile : Takes::kText;
}

Names collectives() {
  Names out;
  for (const auto c : {nccl::Collective::kAllReduce, nccl::Collective::kAllGather, nccl::Collective::kReduceScatter,
                       nccl::Collective::kBroadcast, nccl::Collective::kReduce})
    out.emplace_back(nccl::name(c));
  return out;
}

void decideArgument(const std::string& verb, const CLI::Option& declared, OptionTree& option) {
  if (declared.get_items_expected_max() == 0) return;
  option.values = setIn(declared.get_type_name());
  if (option.names.back() == "--collective") option.values = collectives();
  option.takes = option.values.empty() ? hinted(verb, option) : Takes::kOneOf;
}

OptionTree optionTree(const std::string& verb, const CLI::Option& declared) {
  OptionTree option;
  option.positional = declared.get_positional();
  for (const std::string& n : declared.get_snames()) option.names.push_back("-" + n);
  for (const std::string& n : declared.get_lnames()) option.names.push_back("--" + n);
  if (option.positional) option.names = {declared.get_name(true)};
  option.required = declared.get_required();
  option.many = declared.get_items_expected_max() > 1;
  option.meaning = declared.get_description();
  decideArgument(verb, declared, option);
  return option;
}

CommandTree treeOf(const CLI::App& app, const std::string& name) {
  CommandTree tree{name, app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::Option* o : app.get_options()) tree.options.push_back(optionTree(name, *o));
  for (const CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; }))
    tree.children.push_back(treeOf(*child, name.empty() ? child->get_name() : name + " " + child->get_name()));
  return tree;
}

}  // namespace

CommandTree commandTree() {
  CLI::App app("diagnose, design, tune and verify the network of NCCL jobs", "polyrail");
  app.set_version_flag("--version", POLYRAIL_VERSION);
  int unused = 0;
  for (const cli::Verb& v : cli::verbs()) v.attach(*app.add_subcommand(v.name, v.summary), unused);
  return treeOf(app, "");
}

}  // namespace polyrail::docs
