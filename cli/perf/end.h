// SPDX-License-Identifier: Apache-2.0
// One end of `polyrail perf`: loads the plugin, keeps the link and makes buffers. What both ends have in common; who
// says what to whom is in measure.h and serve.h. One at a time in a process; one thread.
#pragma once

#include "cli/perf/pings.h"
#include "cli/perf/plan.h"

namespace polyrail::cli {

struct EndOptions {
  std::string plugin = kInstalledPlugin;  // as dlopen takes it
  bool log = false;                       // what the plugin says at every level, to standard error
  int gpu = 0;                            // which, where GPU memory is measured
  std::string faults;                     // a script for the emulated verbs, or empty
};

class PerfEnd {
 public:
  // Loads the plugin, and the GPU's driver if the plan wants it. `control` outlives the end.
  static Result<std::unique_ptr<PerfEnd>> make(Control& control, const PerfPlan& plan, const EndOptions& options);

  // The link over these rails, in place of the one before; both ends at once.
  Status open(const std::string& rails);
  const PerfLink& link() const { return *link_; }
  const PerfPlugin& plugin() const { return plugin_; }
  const PerfPlan& plan() const { return plan_; }
  Control& control() const { return control_; }

  Result<std::unique_ptr<Slots>> slots(void* comm, size_t size, int count) const;
  SeriesEnd seriesEnd(Slots& slots, void* comm, Content content) const {
    return {plugin_, control_, slots, comm, content, plan_.patience};
  }

  struct PingSlots {
    std::unique_ptr<Slots> sending, receiving;
  };
  Result<PingSlots> pingSlots(size_t size) const;
  PingEnd pingEnd(const PingSlots& slots, Content content) const {
    return {plugin_, control_, *link_, *slots.sending, *slots.receiving, content, plan_.patience};
  }

 private:
  PerfEnd(Control& control, PerfPlan plan, PerfPlugin plugin)
      : control_(control), plan_(std::move(plan)), plugin_(std::move(plugin)) {}

  Control& control_;
  const PerfPlan plan_;
  PerfPlugin plugin_;
  std::shared_ptr<Cuda> cuda_;
  std::unique_ptr<PerfLink> link_;
};

}  // namespace polyrail::cli
