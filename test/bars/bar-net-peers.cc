// SPDX-License-Identifier: Apache-2.0
// 1,024 peers x 2 channels in one process: what 2,048 connections each way take of a NIC's queue pairs, completion
// queues and locked memory, on the emulated verbs with two rails and the caps of a ConnectX-7. Then with NICs that
// have too little: connections get narrower, and what cannot be served ends in one line before any verb has failed.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "net/device/enumerate.h"
#include "net/device/limits.h"
#include "net/device/open_device.h"
#include "net/path/path_set.h"
#include "test/emu/core/world.h"
#include "test/emu/verbs/simulation.h"
#include "test/emu/verbs/verbs_table.h"

using namespace polyrail;
using namespace polyrail::net;

namespace {

constexpr int kConnections = 1024 * 2 * 2;
constexpr QueueDepth kSender{128, 1}, kReceiver{64, 129};  // as net/data has them

int failedVerbs = 0;
ibv_qp* countedCreateQp(ibv_pd* pd, ibv_qp_init_attr* attributes) {
  ibv_qp* qp = ibv_create_qp(pd, attributes);
  if (!qp) failedVerbs++;
  return qp;
}

struct Job {
  emu::Limits caps;
  int64_t queuePairsPerPair = 1;  // of rails, as wished
};

struct Outcome {
  int connected = 0, narrow = 0;
  std::vector<std::string> lines;
  uint64_t lockedMiB = 0;
};

emu::Fabric fabricOf(const Job& job) {
  emu::Fabric fabric = emu::defaultFabric();
  for (emu::NicSpec& nic : fabric.hosts[0].nics) nic.limits = job.caps;
  return fabric;
}

class Process {
 public:
  explicit Process(const Job& job) : job_(job), sim_(fabricOf(job)) {
    verbs_.createQp = countedCreateQp;
    const Enumeration found = enumerate(verbs_, SysRoot::live(), {}).value();
    for (const Port& port : found.ports) {
      devices_.push_back(OpenDevice::open(verbs_, port.device).value());
      rails_.push_back(localRail(*devices_.back(), port));
    }
  }

  Outcome run() {
    Outcome out;
    for (int i = 0; i < kConnections; i++) {
      if (const Status bad = connect(i % 2 ? PathSet::Side::kSender : PathSet::Side::kReceiver, &out); !bad.ok()) {
        out.lines.push_back(bad.message());
        break;
      }
      out.connected++;
    }
    return out;
  }

 private:
  Status connect(PathSet::Side side, Outcome* out) {
    CommOptions options;
    options.verbs = &verbs_;
    options.clock = &sim_.clock();
    options.rails = rails_;
    options.seed = static_cast<uint64_t>(sets_.size());
    std::vector<PathPlan> plan;
    for (uint8_t r = 0; r < rails_.size(); r++) {
      Ledger& ledger = devices_[r]->queuePairs();
      const int64_t paths = ledger.offer(job_.queuePairsPerPair, 1);
      if (paths < job_.queuePairsPerPair) out->narrow++;
      if (ledger.scarceForTheFirstTime()) out->lines.push_back(ledger.scarcity());
      plan.insert(plan.end(), static_cast<size_t>(paths), {r, r});
    }
    const bool sender = side == PathSet::Side::kSender;
    sets_.push_back(std::make_unique<PathSet>(options, side, sender ? kSender : kReceiver));
    const size_t control = sender ? sizeof(SizeRecords) : sizeof(SizeRecords) + 4096;
    if (const Status s = sets_.back()->plan(plan, control); !s.ok()) return s;
    for (;;) {
      const Result<bool> ready = sets_.back()->prepare();
      if (!ready.ok()) return ready.status();
      if (ready.value()) return {};
    }
  }

  const Job job_;
  emu::Simulation sim_;
  Verbs verbs_ = emu::emulatedVerbs();
  std::vector<std::shared_ptr<OpenDevice>> devices_;
  std::vector<LocalRail> rails_;
  std::vector<std::unique_ptr<PathSet>> sets_;
};

Outcome outcomeOf(const Job& job) {
  failedVerbs = 0;
  return Process(job).run();
}

void bar(const char* name, int figure, int limit, bool holds, const std::string& reason) {
  std::printf("BAR %s %d %d %s %s\n", name, figure, limit, holds ? "holds" : "falls-short", reason.c_str());
}

}  // namespace

int main() {
  const Outcome plain = outcomeOf({});
  bar("net-1024-peers", plain.connected, kConnections, plain.connected == kConnections && plain.lines.empty(),
      plain.lines.empty() ? "connections set up, two rails" : plain.lines[0]);

  Job wide;  // 2 queue pairs for each pair of rails would need 8,192 of each NIC
  wide.queuePairsPerPair = 2;
  wide.caps.maxQp = 7000;
  const Outcome narrowed = outcomeOf(wide);
  bar("net-1024-peers-narrower", narrowed.connected, kConnections,
      narrowed.connected == kConnections && narrowed.narrow > 0 && failedVerbs == 0,
      narrowed.lines.empty() ? "nothing was said" : narrowed.lines[0]);

  Job few;
  few.caps.maxQp = 3000;
  const Outcome ended = outcomeOf(few);
  bar("net-1024-peers-one-line", failedVerbs, 0, failedVerbs == 0 && ended.connected == 3000,
      ended.lines.empty() ? "nothing was said" : ended.lines.back());

  Job locked;
  locked.caps.memlock = 16 << 20;
  const Outcome unlocked = outcomeOf(locked);
  const bool named = !unlocked.lines.empty() && unlocked.lines.back().find("ulimit -l") != std::string::npos;
  bar("net-1024-peers-memlock", static_cast<int>(unlocked.lines.size()), 1, named && unlocked.lines.size() == 1,
      named ? unlocked.lines.back() : "the remedy is not named");

  ProcessLimits files;
  files.files = files.filesMost = 1024;
  const auto said = limitProblems(files, {}, {1024, 2, 1});
  bar("net-1024-peers-files", static_cast<int>(said.size()), 1, said.size() == 1, said.empty() ? "" : said[0]);
  return 0;
}
