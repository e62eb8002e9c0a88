// SPDX-License-Identifier: Apache-2.0
#include "cli/read/run_facts.h"

#include <fmt/format.h>

#include <array>

#include "cli/read/words.h"
#include "common/nccl/version.h"

namespace polyrail::read {
namespace {

constexpr std::string_view kTests[] = {"all_reduce", "all_gather", "reduce_scatter", "broadcast",
                                       "reduce",     "alltoall",   "alltoallv",      "sendrecv",
                                       "gather",     "scatter",    "hypercube"};

void say(RunFacts& facts, std::string problem) { facts.run.problems.push_back(std::move(problem)); }

void concludeCollective(RunFacts& facts) {
  Run& run = facts.run;
  const std::string told = facts.collectiveName();
  if (run.collectiveText.empty()) run.collectiveText = told;
  run.collective = nccl::parseCollective(told);
  if (told.empty()) {
    if (facts.rows > 0) say(facts, "the collective is not known: no test name, and the rows fit more than one");
  } else if (facts.testName.empty() && facts.programName.empty()) {
    say(facts, fmt::format("the collective is inferred from the shape of the rows: {}", told));
  }
}

void concludeRanks(RunFacts& facts) {
  const DeviceList& devices = facts.devices;
  const bool named = facts.comm.ranks || facts.comm.thresholdRanks || devices.lines > 0;
  facts.run.ranks = facts.ranks();
  if (!facts.run.ranks) {
    say(facts, "the number of ranks is not known: no device list, no log line of the communicator");
  } else if (!named) {
    say(facts, fmt::format("the number of ranks is inferred from the rows: {}", *facts.run.ranks));
  } else if (facts.comm.ranks && devices.lines > 0 && !devices.cut && devices.inFirstGroup == devices.ranks &&
             *facts.comm.ranks != devices.inFirstGroup) {
    say(facts, fmt::format("the log has a communicator of {} ranks, the device list {}", *facts.comm.ranks,
                           devices.inFirstGroup));
  }
}

bool deviceListWhole(const DeviceList& devices) {
  return devices.lines > 0 && !devices.cut && devices.lines == devices.ranks;
}

void concludeNodes(RunFacts& facts) {
  const CommEvidence& comm = facts.comm;
  if (comm.nodes)
    facts.run.nodes = comm.nodes;
  else if (deviceListWhole(facts.devices))
    facts.run.nodes = facts.devices.hosts.size();
  else if (comm.ranks && comm.rankNumbers.size() == *comm.ranks)
    facts.run.nodes = comm.hosts.size();
  if (facts.devices.lines > 0 && !deviceListWhole(facts.devices))
    say(facts,
        fmt::format("the device list is incomplete: {} of {} ranks", facts.devices.lines, facts.devices.ranks));
  else if (!facts.run.nodes)
    say(facts, "the number of nodes is not known: no device list, no log line with nNodes");
  if (facts.devices.mixedGpus) say(facts, "the GPUs are not all of one model; the first is named");
}

void concludeVersion(RunFacts& facts) {
  Run& run = facts.run;
  run.ncclVersion = facts.versionLine;
  if (run.ncclVersion.empty() && facts.libraryCode)
    run.ncclVersion = nccl::versionText(static_cast<int>(*facts.libraryCode));
  if (run.ncclVersion.empty()) say(facts, "the NCCL version is not known");
}

// NCCL_ALGO and NCCL_PROTO empty the cells that they exclude. Without them AllReduce has Ring and Tree, and Ring has
// at least LL and Simple (src/graph/tuning.cc).
void inferForced(RunFacts& facts) {
  Forced& forced = facts.run.forced;
  if (!facts.run.costTable) return;
  const auto& cells = facts.run.costTable->bandwidthGBs[static_cast<size_t>(nccl::Collective::kAllReduce)];
  std::vector<nccl::Algorithm> left;
  for (size_t a = 0; a < cells.size(); a++)
    if (cells[a][0] > 0 || cells[a][1] > 0 || cells[a][2] > 0) left.push_back(static_cast<nccl::Algorithm>(a));
  if (forced.algorithm.empty() && left.size() == 1) {
    forced.algorithm = nccl::name(left[0]);
    say(facts,
        fmt::format("NCCL_ALGO is inferred from the cost table, where AllReduce has only {}", forced.algorithm));
  }
  const auto& ring = cells[static_cast<size_t>(nccl::Algorithm::kRing)];
  std::vector<nccl::Protocol> protocols;
  for (size_t p = 0; p < ring.size(); p++)
    if (ring[p] > 0) protocols.push_back(static_cast<nccl::Protocol>(p));
  if (forced.protocol.empty() && protocols.size() == 1) {
    forced.protocol = nccl::name(protocols[0]);
    say(facts, fmt::format("NCCL_PROTO is inferred from the cost table, where Ring has only {}", forced.protocol));
  }
}

void concludeRows(RunFacts& facts) {
  if (facts.lostRows > 0)
    say(facts, fmt::format("{} incomplete row{} left out{}", facts.lostRows, facts.lostRows == 1 ? "" : "s",
                           facts.firstLostRow == 0 ? "" : fmt::format(", the first on line {}", facts.firstLostRow)));
  if (facts.outOfBounds && *facts.outOfBounds > 0)
    say(facts, fmt::format("{} out of bounds values: results were wrong", *facts.outOfBounds));
  if (facts.unplacedChoices > 0)
    say(facts, fmt::format("{} \"-> Algo\" lines left out: their collective or its ranks are not known",
                           facts.unplacedChoices));
  if (facts.rows == 0)
    say(facts, facts.failure.empty() ? "no rows" : fmt::format("no rows: {}", facts.failure));
  else if (!facts.run.complete)
    say(facts, facts.failure.empty() ? "the table has no footer: it was cut, or the test had not ended"
                                     : fmt::format("the table has no footer: {}", facts.failure));
}

}  // namespace

std::string RunFacts::collectiveName() const {
  if (!testName.empty()) return testName;
  return programName.empty() ? shape.collective() : programName;
}

std::optional<uint64_t> RunFacts::ranks() const {
  if (comm.ranks) return comm.ranks;
  if (devices.lines > 0) return deviceListWhole(devices) ? devices.inFirstGroup : devices.ranks;
  if (comm.thresholdRanks) return comm.thresholdRanks;
  return shape.ranks(collectiveName());
}

std::string testOfProgram(std::string_view program) {
  program = baseName(program);
  const size_t perf = program.find("_perf");
  if (perf == std::string_view::npos) return {};
  const std::string_view suffix = program.substr(perf + 5);
  if (!suffix.empty() && suffix != "_mpi") return {};
  for (std::string_view test : kTests)
    if (program.substr(0, perf) == test) return std::string(test);
  return {};
}

void conclude(RunFacts& facts) {
  facts.run.costTable = facts.costs.table();
  concludeCollective(facts);
  concludeRanks(facts);
  concludeNodes(facts);
  concludeVersion(facts);
  inferForced(facts);
  concludeRows(facts);
}

}  // namespace polyrail::read
