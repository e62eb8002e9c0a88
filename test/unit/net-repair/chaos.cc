// SPDX-License-Identifier: Apache-2.0
#include "test/unit/net-repair/chaos.h"

#include <algorithm>
#include <memory>

#include "test/unit/net-repair/chaos_faults.h"
#include "test/unit/net-repair/chaos_stream.h"
#include "test/unit/net-repair/control.h"

namespace polyrail::net {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr double kGbps = 0.6;  // so that few messages last as long as the faults

ChaosShape drawUnfused(ChaosRandom& random) {
  ChaosShape shape;
  shape.senders = static_cast<size_t>(random.between(2, 4));
  shape.receivers = random.chance(60) ? shape.senders : static_cast<size_t>(random.between(2, 4));
  const auto one = [&](size_t of) { return static_cast<size_t>(random.between(0, static_cast<int64_t>(of) - 1)); };
  shape.comms = 1 + one(std::min(shape.senders, shape.receivers));
  shape.spareSender = one(shape.senders);
  shape.spareReceiver = one(shape.receivers);
  return shape;
}

ChaosShape drawShape(ChaosRandom& random, bool unfused) {
  if (unfused) return drawUnfused(random);
  ChaosShape shape;
  shape.senders = static_cast<size_t>(random.between(2, 8));
  shape.receivers = random.chance(60) ? shape.senders : static_cast<size_t>(random.between(2, 8));
  const size_t paths = std::max(shape.senders, shape.receivers);
  const size_t spared = static_cast<size_t>(random.between(0, static_cast<int64_t>(paths) - 1));
  shape.spareSender = spared % shape.senders;
  shape.spareReceiver = spared % shape.receivers;
  if (random.chance(40)) shape.spareReceiver = (spared + 1) % shape.receivers;  // no path of the plan is spared
  return shape;
}

RigOptions rigOptions(ChaosRandom& random, const ChaosShape& shape, bool spare) {
  RigOptions o;
  o.senderGbps.assign(shape.senders, kGbps);
  o.receiverGbps.assign(shape.receivers, kGbps);
  o.latencyNs = random.between(1'000, 20'000);
  o.segment = 16 << 10;
  o.faults = faultList(drawFaults(random, shape, spare));
  return o;
}

CommOptions commOptions(Rig& rig, bool sender, const ChaosOptions& options, unsigned nic) {
  CommOptions o = options.unfused ? repairOptionsOn(rig, sender, nic) : repairOptions(rig, sender);
  o.path.timeout = 12;  // 17 ms
  o.times = {.watchdog = 30 * kMs, .noPath = options.spare ? 5'000 * kMs : 400 * kMs, .packetLifetime = 100 * kMs};
  o.unfenced = options.unfenced;
  return o;
}

ChaosOptions shareOf(ChaosOptions options, unsigned comm, unsigned comms) {
  options.messages = options.messages / comms + (comm < options.messages % comms);
  options.seed += 7'919ull * comm;
  return options;
}

// One comm of the run, its messages and what stands for its control threads.
struct Talk {
  Talk(Rig& rig, const ChaosOptions& options, unsigned nic)
      : pair(rig, commOptions(rig, true, options, nic), commOptions(rig, false, options, nic)),
        stream(rig, pair, options, nic, options.unfused ? 1 : 0xff),
        control(rig, pair) {
    if (options.unfused) stream.pauseAt(options.messages / 2);
    control.extend = [this](bool sender, unsigned rail) {
      extensions++;
      stream.keys(sender).rails |= static_cast<uint16_t>(1u << rail);
      return Status();
    };
  }
  bool turn() {
    if (!pair.status.ok()) return false;
    const bool moved = stream.turn();
    return control.turn() || moved;
  }
  bool ended() const { return stream.finished() || stream.bothFailed(); }
  bool over() const { return ended() || !stream.wrong().empty() || !pair.status.ok(); }

  CommPair pair;
  ChaosStream stream;
  Control control;
  uint32_t ownPaths = pair.send->livePaths();
  uint64_t extensions = 0;
};

class Talks {
 public:
  Talks(Rig& rig, const ChaosOptions& options, const ChaosShape& shape) : rig_(rig) {
    const unsigned comms = std::max(1u, static_cast<unsigned>(shape.comms));
    for (unsigned i = 0; i < comms; i++) talks_.push_back(std::make_unique<Talk>(rig, shareOf(options, i, comms), i));
  }
  void run() {
    const int64_t second = kSecondBoutUs * 1'000;
    rig_.sim().world().at(
        second, [](void*, uint64_t) {}, nullptr, 0);
    rig_.sim().until([&] { return over(); }, [&] { return turn(second); }, 20'000 * kMs);
    rig_.sim().run(60 * kMs);  // what is late still lands
  }
  ChaosResult close() {
    ChaosResult result;
    result.ended = true;
    result.away = away_;
    for (const auto& talk : talks_) add(*talk, &result);
    for (const auto& talk : talks_) talk->pair.close();
    return result;
  }

 private:
  bool over() const {
    return std::all_of(talks_.begin(), talks_.end(), [](const auto& talk) { return talk->over(); });
  }
  // NICs are everybody's: an event wakes all.
  bool turn(int64_t second) {
    bool any = false;
    for (const bool sender : {true, false}) {
      rig_.on(sender);
      any |= rig_.takeEvents(sender);
    }
    for (const auto& talk : talks_)
      if (any) talk->control.wake();
    if (rig_.sim().now() >= second && !resumed_) resume();
    for (const auto& talk : talks_) any |= talk->turn();
    return any;
  }
  void resume() {
    resumed_ = true;
    for (const auto& talk : talks_) {
      talk->stream.pauseAt(UINT64_MAX);
      away_ += talk->pair.send->livePaths() != talk->ownPaths;
    }
  }
  static void add(const Talk& talk, ChaosResult* result) {
    result->ended &= talk.ended();
    result->received += talk.stream.received();
    result->fences += talk.control.messages(MessageType::kFenced);
    result->revivals += talk.control.messages(MessageType::kLive);
    result->extensions += talk.extensions;
    if (result->wrong.empty()) result->wrong = talk.stream.wrong();
    for (const std::string& s :
         {talk.pair.status.message(), talk.pair.send->error(), talk.pair.recv->error(), talk.stream.wrong()})
      if (result->error.empty()) result->error = s;
  }

  Rig& rig_;
  std::vector<std::unique_ptr<Talk>> talks_;
  bool resumed_ = false;
  uint64_t away_ = 0;
};

}  // namespace

ChaosResult runChaos(const ChaosOptions& options) {
  ChaosRandom random(options.seed);
  const ChaosShape shape = drawShape(random, options.unfused);
  Rig rig(rigOptions(random, shape, options.spare));
  rig.seed = options.seed;
  const std::string before = rig.sim().world().census.text();
  ChaosResult result;
  {
    Talks talks(rig, options, shape);
    talks.run();
    result = talks.close();
  }
  rig.dropRegions();
  if (const std::string after = rig.sim().world().census.text(); after != before) result.left = after;
  result.violations = rig.sim().world().memory().violations().size();
  return result;
}

}  // namespace polyrail::net
