// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/net_cases.h"

#include <memory>

#include "test/contract/host/child.h"

namespace polyrail::contract {
namespace {

constexpr char kSkipped[] = "skipped: ";
constexpr int kPatiences = 12;  // a case has several runs

}  // namespace

CaseResult runCase(const NetCase& netCase, const CaseContext& context) {
  const auto limit = std::chrono::duration_cast<std::chrono::seconds>(context.patience * kPatiences);
  const ChildResult child = runInFork(
      [&] {
        const auto faults = std::make_unique<Faults>();
        const std::string reason = netCase.run(context, *faults);
        return reason.empty() ? faults->text() : kSkipped + reason;
      },
      limit);
  if (child.timedOut)
    return {CaseVerdict::kFailed, child.output + "hung for " + std::to_string(limit.count()) + " s"};
  if (child.status > 128)
    return {CaseVerdict::kFailed, child.output + "died of signal " + std::to_string(child.status - 128)};
  if (child.status != 0) return {CaseVerdict::kFailed, child.output + "ended with " + std::to_string(child.status)};
  if (child.output.starts_with(kSkipped)) return {CaseVerdict::kSkipped, child.output.substr(sizeof(kSkipped) - 1)};
  return {child.output.empty() ? CaseVerdict::kPassed : CaseVerdict::kFailed, child.output};
}

}  // namespace polyrail::contract
