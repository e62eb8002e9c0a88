// SPDX-License-Identifier: Apache-2.0
#include "cli/read/choice_lines.h"

#include "cli/read/number.h"
#include "cli/read/words.h"

namespace polyrail::read {
namespace {

template <typename Enum>
bool takeName(std::string_view word, int names, std::optional<Enum> (*parse)(std::string_view), Enum* found) {
  uint64_t number = 0;
  if (wholeInteger(word, &number)) {
    if (number >= static_cast<uint64_t>(names)) return false;
    *found = static_cast<Enum>(number);
    return true;
  }
  const std::optional<Enum> named = parse(word);
  if (named) *found = *named;
  return named.has_value();
}

// "channel{Lo..Hi}={0..23}" is 24 channels.
std::optional<int> channelCount(std::string_view text) {
  text.remove_prefix(std::min(text.find('='), text.size()));
  const std::optional<uint64_t> low = integerAfter(text, "={"), high = integerAfter(text, "..");
  if (!low || !high || *high < *low || *high - *low >= nccl::kMaxChannels) return std::nullopt;
  return static_cast<int>(*high - *low + 1);
}

}  // namespace

std::optional<ChoiceLine> parseChoice(std::string_view message) {
  ChoiceLine line;
  const size_t colon = message.find(':'), bytes = message.find(" Bytes -> Algo ");
  if (bytes == std::string_view::npos) return std::nullopt;
  if (colon < bytes) {
    line.collective = nccl::parseCollective(message.substr(0, colon));
    if (!line.collective) return std::nullopt;
    message.remove_prefix(colon + 1);
  }
  const std::optional<uint64_t> size = nextInteger(message);
  if (!size || !skip(message, " Bytes -> Algo ")) return std::nullopt;
  line.bytes = *size;
  if (!takeName(nextWord(message), nccl::kNumAlgorithms, &nccl::parseAlgorithm, &line.algorithm)) return std::nullopt;
  if (nextWord(message) != "proto") return std::nullopt;
  if (!takeName(nextWord(message), nccl::kNumProtocols, &nccl::parseProtocol, &line.protocol)) return std::nullopt;
  const std::string_view what = nextWord(message);
  line.newForm = startsWith(what, "channel{Lo..Hi}");
  if (line.newForm) line.channels = channelCount(what);
  double time = 0;
  const std::string_view value = what == "time" ? nextWord(message) : std::string_view{};
  if (!value.empty() && scanNumber(value.data(), value.data() + value.size(), &time)) line.modelTimeUs = time;
  return line;
}

std::optional<LoggedChoice> asChoice(const ChoiceLine& line, nccl::Collective collective,
                                     std::optional<uint64_t> ranks) {
  const bool perRank = line.newForm && nccl::keyedPerRank(collective);
  if (perRank && !ranks) return std::nullopt;
  LoggedChoice choice;
  choice.collective = collective;
  choice.totalBytes = perRank ? line.bytes * *ranks : line.bytes;
  choice.bytesArePerRank = perRank;
  choice.algorithm = line.algorithm;
  choice.protocol = line.protocol;
  choice.channels = line.channels;
  choice.modelTimeUs = line.modelTimeUs;
  return choice;
}

}  // namespace polyrail::read
