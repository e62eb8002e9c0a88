// SPDX-License-Identifier: Apache-2.0
#include "test/unit/net-repair/chaos_faults.h"

namespace polyrail::net {
namespace {

constexpr int64_t kHorizonUs = 150'000;  // no fault begins later

std::string us(int64_t n) { return "\"" + std::to_string(n) + "us\""; }

// What happens to a port, without target and time.
std::string drawAct(ChaosRandom& random) {
  const std::string lasting = R"(, "for": )" + us(random.between(200, 60'000));
  switch (random.between(0, 8)) {
    case 0: return R"("do": "port_down")" + lasting;
    case 1: return R"("do": "port_down", "event": false)" + lasting;
    case 2: return R"("do": "black_hole")" + lasting;
    case 3:
      return R"("do": "black_hole", "direction": ")" + std::string(random.chance(50) ? "in" : "out") + "\"" + lasting;
    case 4: return R"("do": "slow", "amount": )" + std::to_string(random.between(5, 60)) + lasting;
    case 5: return R"("do": "loss", "amount": 0.0)" + std::to_string(random.between(1, 9)) + lasting;
    case 6:
      return R"("do": "complete_with", "status": "REM_OP_ERR", "count": )" + std::to_string(random.between(1, 4));
    case 7:
      return R"("do": "late", "op": "write_imm", "by": )" + us(random.between(100, 40'000)) + R"(, "count": )" +
             std::to_string(random.between(1, 6));
    default:
      return R"("do": "late", "op": "write", "max": 4096, "by": )" + us(random.between(100, 40'000)) +
             R"(, "count": 2)";
  }
}

}  // namespace

uint64_t ChaosRandom::next() {
  uint64_t z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::string drawFaults(ChaosRandom& random, const ChaosShape& shape, bool spare) {
  std::string list;
  for (int64_t at = random.between(100, 5'000); at < kHorizonUs; at += random.between(500, 15'000)) {
    const bool sender = random.chance(50);
    const size_t rails = sender ? shape.senders : shape.receivers;
    const size_t rail = static_cast<size_t>(random.between(0, static_cast<int64_t>(rails) - 1));
    const std::string act = drawAct(random);
    if (spare && rail == (sender ? shape.spareSender : shape.spareReceiver)) continue;
    list += (list.empty() ? "" : ",\n") + std::string(R"({"at": )") + us(at) + R"(, "target": ")" +
            (sender ? "a" : "b") + "/emu" + std::to_string(rail) + "\", " + act + "}";
  }
  return "[" + list + "]";
}

}  // namespace polyrail::net
