// SPDX-License-Identifier: Apache-2.0
#include "cli/read/log_messages.h"

#include "cli/read/number.h"
#include "cli/read/words.h"

namespace polyrail::read {
namespace {

using Handler = void (*)(RunFacts& facts, std::string_view host, std::string_view rest);

void version(RunFacts& facts, std::string_view, std::string_view rest) {
  if (facts.versionLine.empty()) facts.versionLine = dottedVersion(rest);
}

// "Socket", "AWS Libfabric"
void network(RunFacts& facts, std::string_view, std::string_view rest) {
  if (facts.run.network.empty()) facts.run.network = trim(rest).substr(0, 64);
}

std::string_view quoted(std::string_view text) {
  text = trim(text);
  if (text.size() >= 2 && text.front() == '\'') text = text.substr(1, text.find('\'', 1) - 1);
  return text;
}

// The name, without "(v6)"; an absolute path is cut to its last part.
void tunerPlugin(RunFacts& facts, std::string_view, std::string_view rest) {
  std::string_view name = quoted(rest);
  name = trim(name.substr(0, std::min(name.find(" (v"), name.size())));
  if (startsWith(name, "internal tuner plugin")) return;
  if (facts.run.tunerPlugin.empty()) facts.run.tunerPlugin = baseName(name).substr(0, 128);
}

void netPlugin(RunFacts& facts, std::string_view, std::string_view rest) {
  const std::string_view name = trim(rest.substr(0, std::min(rest.rfind(" (v"), rest.size())));
  if (facts.run.netPlugin.empty()) facts.run.netPlugin = name.substr(0, 128);
}

// "16/8/64 | ...": Tree first, then Ring, whose LL threshold is 8 times the ranks (src/graph/tuning.cc).
void thresholds(RunFacts& facts, std::string_view, std::string_view rest) {
  const std::optional<uint64_t> ring = integerAfter(rest, "| ");
  if (ring && *ring >= 16 && *ring % 8 == 0) facts.comm.thresholdRanks = *ring / 8;
}

// "0x55.. rank 0 nRanks 16 nNodes 2 localRanks 8 ...", "... rank 0 nranks 16 cudaDev 0 ... - Init COMPLETE"
void communicator(RunFacts& facts, std::string_view host, std::string_view rest) {
  const std::optional<uint64_t> nodes = integerAfter(rest, " nNodes ");
  std::optional<uint64_t> ranks = integerAfter(rest, nodes ? " nRanks " : " nranks ");
  if (!ranks || (!nodes && !contains(rest, " - Init "))) return;
  if (!facts.comm.ranks) facts.comm.ranks = ranks;
  if (nodes && !facts.comm.nodes) facts.comm.nodes = nodes;
  const std::optional<uint64_t> rank = integerAfter(rest, " rank ");
  if (!rank || *rank > 1u << 24 || *facts.comm.ranks != *ranks) return;
  facts.comm.rankNumbers.insert(*rank);
  if (!host.empty()) facts.comm.hosts.insert(std::hash<std::string_view>()(host));
}

void rankedCommunicator(RunFacts& facts, std::string_view host, std::string_view rest) {
  const size_t comm = rest.find(" comm ");
  if (comm != std::string_view::npos) communicator(facts, host, rest.substr(comm));
}

void ofiProtocol(RunFacts& facts, std::string_view, std::string_view rest) {
  rest = trim(rest);
  if (rest.size() > 2 && rest.front() == '"')
    takeVariable(facts.run.forced, "NCCL_PROTO", rest.substr(1, rest.size() - 2));
}

void environment(RunFacts& facts, std::string_view, std::string_view rest) {
  const size_t set = rest.find(" set by environment to ");
  if (set == std::string_view::npos) return;
  std::string_view value = trim(rest.substr(set + 23));
  if (!value.empty() && value.back() == '.') value.remove_suffix(1);
  takeVariable(facts.run.forced, rest.substr(0, set), value);
}

struct Message {
  std::string_view begins;
  bool keep;  // the handler wants the words that it begins with, too
  Handler handle;
};
constexpr Message kMessages[] = {
    {"NCCL version ", false, version},
    {"NCCL_", true, environment},
    {"Using network ", false, network},
    {"Using tuner plugin: ", false, tunerPlugin},
    {"Opened tuner: ", false, tunerPlugin},
    {"TUNER/Plugin: Using tuner plugin ", false, tunerPlugin},
    {"TUNER/Plugin: Using ", false, tunerPlugin},
    {"Successfully loaded external tuner plugin ", false, tunerPlugin},
    {"NET/Plugin: Loaded net plugin ", false, netPlugin},
    {"NET/OFI Setting NCCL_PROTO to ", false, ofiProtocol},
    {"threadThresholds ", false, thresholds},
    {"comm ", true, communicator},
    {"ncclCommInit", true, communicator},
    {"[Rank ", true, rankedCommunicator},
};

bool poolOfChannels(RunFacts& facts, std::string_view message) {
  const std::optional<uint64_t> channels = nextInteger(message);
  if (!channels || *channels > 4096 || !startsWith(message, " coll channels")) return false;
  if (!facts.run.collChannels) facts.run.collChannels = static_cast<int>(*channels);
  return true;
}

std::optional<int> smallInteger(std::string_view value) {
  uint64_t number = 0;
  if (!wholeInteger(value, &number) || number > 4096) return std::nullopt;
  return static_cast<int>(number);
}

bool listOfNames(std::string_view value) {
  constexpr std::string_view kMore = "_,:;^";
  for (char c : value) {
    const bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
    if (!letter && !isDigit(c) && kMore.find(c) == std::string_view::npos) return false;
  }
  return value.size() <= 256;
}

}  // namespace

// Ordered by how the messages differ, not by how often they come: every case dismisses on one or two bytes.
bool mayTell(std::string_view message) {
  if (message.size() < 16) return false;
  switch (message[0]) {
    case 'N': return message[1] == 'C' || (message[3] == '/' && (message[8] == 'S' || message[12] == 'L'));
    case 'U': return message[6] == 'n' || message[6] == 't';
    case 'O': return message[1] == 'p';
    case 'T': return message[1] == 'U' && message[14] == 'U';
    case 'S': return message[1] == 'u';
    case 't': return message[1] == 'h';
    case 'c': return message[4] == ' ';
    case 'n': return message[4] == 'C';
    case '[': return message[1] == 'R';
    case ' ':
    case 'L':
    case 'B':
    case 'R':
    case 'A': return message.back() == '|';
    default: return isDigit(message[0]) && contains(message, " coll ch");
  }
}

void takeVariable(Forced& forced, std::string_view name, std::string_view value) {
  if (name == "NCCL_ALGO" && listOfNames(value)) forced.algorithm = value;
  if (name == "NCCL_PROTO" && listOfNames(value)) forced.protocol = value;
  if (name == "NCCL_MIN_NCHANNELS" || name == "NCCL_MIN_NRINGS" || name == "NCCL_MIN_CTAS")
    forced.minChannels = smallInteger(value);
  if (name == "NCCL_MAX_NCHANNELS" || name == "NCCL_MAX_NRINGS" || name == "NCCL_MAX_CTAS")
    forced.maxChannels = smallInteger(value);
}

void takeLogMessage(RunFacts& facts, std::string_view host, std::string_view message) {
  facts.sawLog = true;
  if (isDigit(message[0])) {
    poolOfChannels(facts, message);
    return;
  }
  if (message.back() == '|') {
    facts.costs.take(message);
    return;
  }
  for (const Message& m : kMessages)
    if (startsWith(message, m.begins))
      return m.handle(facts, host, m.keep ? message : message.substr(m.begins.size()));
}

}  // namespace polyrail::read
