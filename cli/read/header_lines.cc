// SPDX-License-Identifier: Apache-2.0
#include "cli/read/header_lines.h"

#include "cli/read/number.h"
#include "cli/read/words.h"

namespace polyrail::read {
namespace {

struct PartWords {
  HeaderPart part;
  std::string_view words;  // behind "#" and spaces
};
constexpr PartWords kParts[] = {{HeaderPart::kVersion, "nccl-tests version "},
                                {HeaderPart::kStart, "Collective test starting: "},
                                {HeaderPart::kSettings, "nThread "},
                                {HeaderPart::kDevice, "Rank "},
                                {HeaderPart::kOutOfBounds, "Out of bounds values"},
                                {HeaderPart::kAverage, "Avg bus bandwidth"},
                                {HeaderPart::kConcluded, "Collective test concluded"}};

std::string_view skipSpaces(std::string_view text) {
  while (!text.empty() && isSpace(text.front())) text.remove_prefix(1);
  return text;
}

// "size  count  type ..."
bool isColumns(std::string_view text) {
  return nextWord(text) == "size" && nextWord(text) == "count" && nextWord(text) == "type";
}

void takeVersion(RunFacts& facts, std::string_view text) {
  facts.sawVersion = true;
  facts.run.testsVersion = dottedVersion(text);
  facts.libraryCode = integerAfter(text, "nccl-library=");
}

void takeStart(RunFacts& facts, std::string_view program) {
  facts.sawStart = true;
  facts.run.collectiveText = nextWord(program);
  const std::string test = testOfProgram(facts.run.collectiveText);
  facts.testName = test.empty() ? facts.run.collectiveText : test;
}

std::optional<int> settingAfter(std::string_view text, std::string_view label) {
  const std::optional<uint64_t> value = integerAfter(text, label);
  return value && *value <= INT32_MAX ? std::optional<int>(static_cast<int>(*value)) : std::nullopt;
}

// `text` begins behind "nThread ".
void takeSettings(RunFacts& facts, std::string_view text) {
  facts.sawSettings = true;
  TestSettings& settings = facts.run.settings;
  settings.threads = settingAfter(text, "");
  settings.gpusPerThread = settingAfter(text, " nGpus ");
  settings.warmupIterations = settingAfter(text, "warmup iters: ");
  const size_t afterWarmup = text.find("warmup iters: ");
  if (afterWarmup != std::string_view::npos)
    settings.iterations = settingAfter(text.substr(afterWarmup + 8), " iters: ");
  settings.aggregated = settingAfter(text, "agg iters: ");
  settings.validation = settingAfter(text, "validation: ");
  settings.graph = settingAfter(text, "graph: ");
}

// `text` begins behind "Rank ": " 0 [Group  0] Pid 36600 on node000 device  0 [0x07] NVIDIA A100".
void takeDevice(RunFacts& facts, std::string_view text) {
  DeviceList& devices = facts.devices;
  const std::optional<uint64_t> rank = nextInteger(text);
  if (!rank || *rank > 1u << 24) return;
  std::string_view word = nextWord(text);
  uint64_t group = 0;
  if (word == "Group") group = nextInteger(text).value_or(0), word = nextWord(text);
  const bool named = word == "Pid" && nextInteger(text) && nextWord(text) == "on";
  const std::string_view host = nextWord(text);
  if (!named || nextWord(text) != "device") {
    devices.cut = true;
    return;
  }
  devices.lines++;
  devices.ranks = std::max(devices.ranks, *rank + 1);
  if (!devices.firstGroup) devices.firstGroup = group;
  if (group != *devices.firstGroup) return;
  devices.inFirstGroup++;
  devices.hosts.insert(std::hash<std::string_view>()(host));
  const size_t close = text.find(']');
  const std::string_view gpu = close == std::string_view::npos ? std::string_view{} : trim(text.substr(close + 1));
  if (facts.run.gpu.empty()) facts.run.gpu = gpu;
  devices.mixedGpus |= !gpu.empty() && gpu != facts.run.gpu;
}

// The `wrong` column ends where its title does; printf's width counts from the end of "busbw".
void takeColumns(RunFacts& facts, std::string_view text) {
  facts.sawColumns = true;
  facts.run.settings.cpuTime = contains(text, "cputime");
  const size_t bus = text.find("busbw");
  if (bus == std::string_view::npos) return;
  std::string_view behind = text.substr(bus + 5);
  const std::string_view from = behind;
  const std::string_view title = nextWord(behind);
  if (title == "#wrong" || title == "error") facts.wrongWidth = from.size() - behind.size();
}

}  // namespace

HeaderLine findHeader(std::string_view line) {
  for (size_t hash = line.find('#'); hash != std::string_view::npos; hash = line.find('#', hash + 1)) {
    const std::string_view text = skipSpaces(line.substr(hash + 1));
    for (const PartWords& p : kParts)
      if (startsWith(text, p.words)) return {p.part, text.substr(p.words.size())};
    if (isColumns(text)) return {HeaderPart::kColumns, text};
  }
  const std::string_view text = skipSpaces(line);
  if (startsWith(text, "size ") && isColumns(text)) return {HeaderPart::kColumns, text};
  return {};
}

bool beginsAnotherRun(const RunFacts& facts, HeaderPart part) {
  const bool table = facts.rows > 0 || facts.run.complete;
  switch (part) {
    case HeaderPart::kVersion: return table || facts.sawVersion || facts.sawStart || facts.sawSettings;
    case HeaderPart::kStart: return table || facts.sawStart || facts.sawSettings;
    case HeaderPart::kSettings: return table || facts.sawSettings;
    case HeaderPart::kDevice:
    case HeaderPart::kColumns: return table;
    default: return false;
  }
}

void takeHeader(RunFacts& facts, const HeaderLine& header) {
  switch (header.part) {
    case HeaderPart::kVersion: return takeVersion(facts, header.content);
    case HeaderPart::kStart: return takeStart(facts, header.content);
    case HeaderPart::kSettings: return takeSettings(facts, header.content);
    case HeaderPart::kDevice: return takeDevice(facts, header.content);
    case HeaderPart::kColumns: return takeColumns(facts, header.content);
    case HeaderPart::kOutOfBounds: facts.outOfBounds = integerAfter(header.content, ": "); return;
    case HeaderPart::kAverage:
    case HeaderPart::kConcluded: facts.run.complete = true; return;
    case HeaderPart::kNone: return;
  }
}

}  // namespace polyrail::read
