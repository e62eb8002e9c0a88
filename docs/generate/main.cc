// SPDX-License-Identifier: Apache-2.0
// generate list | PAGE.SECTION [FRAGMENT] | bash | zsh | fish | interface: one man page as scdoc, one completion
// script, or what is promised to stay, on standard output. A build tool; it is not installed.
#include <cstdio>
#include <fstream>
#include <iterator>

#include "docs/generate/completions.h"
#include "docs/generate/interface.h"
#include "docs/generate/man_pages.h"

namespace {

using namespace polyrail::docs;

std::string fragmentOf(int argc, char** argv) {
  if (argc < 3) return "";
  std::ifstream file(argv[2]);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Empty for a name that is none.
std::string make(const std::string& what, const std::string& fragment) {
  const CommandTree tree = commandTree();
  if (what == "bash") return bashCompletion(tree);
  if (what == "zsh") return zshCompletion(tree);
  if (what == "fish") return fishCompletion(tree);
  if (what == "interface") return interfaceText(tree);
  if (what == "polyrail.1") return commandPage(tree, fragment);
  for (const char* reader : {"tuner", "net"})
    if (what == std::string("polyrail-") + reader + ".7") return pluginPage(reader, fragment);
  for (const CommandTree& v : tree.children)
    if (what == "polyrail-" + v.name + ".1") return verbPage(v, fragment);
  if (what != "list") return "";
  std::string names = "polyrail.1\npolyrail-tuner.7\npolyrail-net.7\n";
  for (const CommandTree& v : tree.children) names += "polyrail-" + v.name + ".1\n";
  return names;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string text = argc < 2 ? "" : make(argv[1], fragmentOf(argc, argv));
  if (text.empty())
    return std::fputs("generate: give list, PAGE.SECTION [FRAGMENT], bash, zsh, fish or interface\n", stderr), 2;
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 4;
}
