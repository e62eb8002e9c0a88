// SPDX-License-Identifier: Apache-2.0
// A peer that says nonsense in good form, in mid-traffic: the comm goes on or ends with a sentence, and nothing is
// left.
#include <gtest/gtest.h>

#include "test/unit/net-data/driver.h"
#include "test/unit/net-repair/chaos_faults.h"
#include "test/unit/net-repair/control.h"

namespace polyrail::net {
namespace {

PathName drawName(ChaosRandom& random) {
  return {static_cast<uint8_t>(random.between(0, kMaxCommPaths - 1)), static_cast<uint16_t>(random.between(0, 3))};
}

Fenced drawFenced(ChaosRandom& random) {
  Fenced m{static_cast<uint32_t>(random.between(0, 2)), static_cast<uint8_t>(random.between(0, 23)), {}};
  for (int64_t n = random.between(0, 32); n > 0; n--) {
    Fenced::Slot slot{random.chance(80) ? static_cast<uint64_t>(random.between(0, 40)) : random.next(), {}};
    slot.requests.resize(static_cast<size_t>(random.between(1, kGroup)));
    for (Fenced::Request& r : slot.requests) r.done = random.chance(50);
    m.slots.push_back(slot);
  }
  return m;
}

NewPath drawNewPath(ChaosRandom& random) {
  NewPath m;
  m.path = drawName(random);
  m.rail.mtu = static_cast<uint8_t>(random.between(1, 5));
  m.end.senderRail = static_cast<uint8_t>(random.between(0, 7));
  m.end.receiverRail = static_cast<uint8_t>(random.between(0, 7));
  m.end.queuePair = static_cast<uint32_t>(random.next() & 0xffffff);
  return m;
}

std::vector<uint8_t> draw(ChaosRandom& random) {
  switch (random.between(0, 7)) {
    case 0: return encode(PathDown{drawName(random), "nonsense"});
    case 1: return encode(Fence{static_cast<uint32_t>(random.between(0, 5)), {drawName(random), drawName(random)}});
    case 2: return encode(drawFenced(random));
    case 3: return encodeMake(drawNewPath(random));
    case 4: return encodeMade(drawNewPath(random));
    case 5: return encode(Prove{drawName(random)});
    case 6: return encode(Live{drawName(random), static_cast<uint8_t>(random.between(0, 23))});
    default: return random.chance(10) ? encode(Abort{"enough"}) : encodeGoodbye();
  }
}

template <typename End>
void tell(End& end, const std::vector<uint8_t>& bytes, int64_t now) {
  end.hear(decodeFrame(std::span(bytes).first(kFrameHeader)).value(), std::span(bytes).subspan(kFrameHeader), now);
}

// Where siblings may be named, too; `unfused`: each end has one rail and two siblings'.
void sayNonsense(uint64_t seed, bool unfused) {
  ChaosRandom random(seed);
  RigOptions options;
  options.senderGbps = options.receiverGbps = {10, 10, 10};
  Rig rig(options);
  const std::string before = rig.sim().world().census.text();
  {
    const auto comm = [&](bool sender) {
      return unfused ? repairOptionsOn(rig, sender, 0) : repairOptions(rig, sender);
    };
    CommPair pair(rig, comm(true), comm(false));
    Traffic stream(rig, pair, 100'000, 8, false);
    Control control(rig, pair);
    const auto round = [&] {
      const bool moved = stream.turn();
      return control.turn() || moved;
    };
    for (int i = 0; i < 12 && stream.ok(); i++) {
      const int64_t until = rig.sim().now() + 200'000;
      rig.sim().until([&] { return rig.sim().now() >= until || !stream.ok(); }, round, 1'000'000'000);
      const bool sender = random.chance(50);
      rig.on(sender);
      if (sender)
        tell(*pair.send, draw(random), rig.sim().now());
      else
        tell(*pair.recv, draw(random), rig.sim().now());
    }
  }
  rig.dropRegions();
  EXPECT_EQ(rig.sim().world().census.text(), before) << "seed " << seed;
}

TEST(Hostile, NonsenseInGoodFormEndsNothingButTheComm) {
  for (uint64_t seed = 1; seed <= 300; seed++)
    for (const bool unfused : {false, true}) sayNonsense(seed, unfused);
}

// Nothing of it may index past an end's rails, nor fill a completion queue.
TEST(Hostile, APathOnARailThatThereIsNotIsRefused) {
  RigOptions options;
  options.senderGbps = options.receiverGbps = {10, 10};
  Rig rig(options);
  CommPair pair(rig, repairOptionsOn(rig, true, 0), repairOptionsOn(rig, false, 0));
  rig.on(false);
  NewPath make;
  make.rail = rig.rails(true)[0].info;
  const auto answer = [&](uint8_t path, uint8_t senderRail, uint8_t receiverRail) {
    make.path = {path, 2};
    make.end.senderRail = senderRail;
    make.end.receiverRail = receiverRail;
    tell(*pair.recv, encodeMake(make), rig.sim().now());
    const auto said = pair.recv->takeOutbox();
    return said.empty() ? MessageType{} : decodeFrame(std::span(said[0]).first(kFrameHeader)).value().type;
  };
  EXPECT_EQ(answer(1, 7, 2), MessageType::kPathDown);  // there are two: 0 and 1
  EXPECT_EQ(answer(1, 7, 1), MessageType::kMade);
  EXPECT_EQ(answer(2, 6, 1), MessageType::kMade);
  EXPECT_EQ(answer(3, 5, 1), MessageType::kPathDown);  // no room
  EXPECT_EQ(pair.recv->error(), "");
  EXPECT_EQ(answer(9, 0, 0), MessageType::kAbort);
}

}  // namespace
}  // namespace polyrail::net
