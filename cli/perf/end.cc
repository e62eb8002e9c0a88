// SPDX-License-Identifier: Apache-2.0
#include "cli/perf/end.h"

#include "cli/perf/faults.h"

namespace polyrail::cli {
namespace {

constexpr int kPingsAhead = 4;  // receives posted before their messages come

}  // namespace

Result<std::unique_ptr<PerfEnd>> PerfEnd::make(Control& control, const PerfPlan& plan, const EndOptions& options) {
  if (const Status s = announceFaults(options.faults); !s.ok()) return s;
  Result<PerfPlugin> plugin = PerfPlugin::load(options.plugin, options.log);
  if (!plugin.ok()) return plugin.status();
  if (const Status s = checkFaultsArePlayed(options.faults); !s.ok()) return s;
  std::unique_ptr<PerfEnd> end(new PerfEnd(control, plan, std::move(plugin).value()));
  if (!plan.gpu) return end;
  Result<std::shared_ptr<Cuda>> cuda = Cuda::open(options.gpu);
  if (!cuda.ok()) return cuda.status();
  end->cuda_ = std::move(cuda).value();
  return end;
}

Status PerfEnd::open(const std::string& rails) {
  link_.reset();
  const Result<PerfDevice> device = plugin_.choose(rails);
  if (!device.ok()) return device.status();
  Result<std::unique_ptr<PerfLink>> link = PerfLink::open(plugin_, device.value(), control_, plan_.patience);
  if (!link.ok()) return link.status();
  link_ = std::move(link).value();
  return {};
}

Result<std::unique_ptr<Slots>> PerfEnd::slots(void* comm, size_t size, int count) const {
  return Slots::make(plugin_, comm, {size, count, link_->device().ptrSupport, cuda_});
}

Result<PerfEnd::PingSlots> PerfEnd::pingSlots(size_t size) const {
  Result<std::unique_ptr<Slots>> sending = slots(link_->send(), size, kPingsAhead);
  if (!sending.ok()) return sending.status();
  Result<std::unique_ptr<Slots>> receiving = slots(link_->recv(), size, kPingsAhead);
  if (!receiving.ok()) return receiving.status();
  return PingSlots{std::move(sending).value(), std::move(receiving).value()};
}

}  // namespace polyrail::cli
