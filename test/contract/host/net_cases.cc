// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/net_cases.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "test/contract/host/call_board.h"
#include "test/contract/host/child.h"
#include "test/contract/host/log_sink.h"

namespace polyrail::contract {
namespace {

constexpr int kPatiences = 8;  // a case has several runs
constexpr std::chrono::milliseconds kStuck{1000};

// What the child leaves to its parent, however it ends.
struct Report {
  Faults faults;
  CallBoard calls;
  char skipped[1024] = {};
};

struct Unmap {
  void operator()(Report* report) const { munmap(report, sizeof(Report)); }
};

std::unique_ptr<Report, Unmap> newReport() {
  void* memory = mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) abort();
  return std::unique_ptr<Report, Unmap>(new (memory) Report);
}

std::string runHere(const NetCase& netCase, const CaseContext& context, Report& report) {
  echoLog(context.logAll ? Echo::kAll : Echo::kWarnings);
  report.calls.install();
  const std::string reason = netCase.run(context, report.faults);
  std::strncpy(report.skipped, reason.c_str(), sizeof(report.skipped) - 1);
  return "";
}

void addEnd(const ChildResult& child, std::chrono::seconds limit, Report& report) {
  if (child.timedOut) {
    const std::string stuck = report.calls.stuck(kStuck);
    report.faults.add("hung for " + std::to_string(limit.count()) + " s" + (stuck.empty() ? "" : " in " + stuck));
  } else if (child.status > 128) {
    report.faults.add("crashed, signal " + std::to_string(child.status - 128));
  } else if (child.status != 0) {
    report.faults.add("crashed, exit status " + std::to_string(child.status));
  }
}

}  // namespace

std::vector<const NetCase*> allNetCases() {
  std::vector<const NetCase*> all;
  for (const auto& some : {setUpCases(), connectionCases(), oneThreadCases(), trafficCases(), endingCases(),
                           lifeCycleCases(), forkCases()})
    for (const NetCase& one : some) all.push_back(&one);
  return all;
}

CaseResult runCase(const NetCase& netCase, const CaseContext& context) {
  const auto limit = std::chrono::ceil<std::chrono::seconds>(context.patience * kPatiences);
  const std::unique_ptr<Report, Unmap> report = newReport();
  const ChildResult child = runInFork([&] { return runHere(netCase, context, *report); }, limit);
  addEnd(child, limit, *report);
  if (report->faults.any()) return {CaseVerdict::kFailed, report->faults.text(), child.output};
  if (report->skipped[0]) return {CaseVerdict::kSkipped, report->skipped, child.output};
  return {CaseVerdict::kPassed, "", child.output};
}

}  // namespace polyrail::contract
