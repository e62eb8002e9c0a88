// SPDX-License-Identifier: Apache-2.0
#include "test/unit/net-repair/chaos_faults.h"

namespace polyrail::net {
namespace {

constexpr int64_t kBoutUs = 150'000;  // no fault begins later in its bout

std::string us(int64_t n) { return "\"" + std::to_string(n) + "us\""; }

// Each address is new.
std::string gidChange(ChaosRandom& random, int number) {
  return R"("do": "gid_change", "index": )" + std::to_string(random.between(3, 4)) + R"(, "gid": "::ffff:10.99.)" +
         std::to_string(number / 250) + "." + std::to_string(1 + number % 250) + R"(", "event": )" +
         (random.chance(50) ? "true" : "false");
}

// What happens to a port, without target and time.
std::string drawAct(ChaosRandom& random, int number) {
  const std::string lasting = R"(, "for": )" + us(random.between(200, 60'000));
  switch (random.between(0, 10)) {
    case 0: return R"("do": "port_down")" + lasting;
    case 1: return R"("do": "port_down", "event": false)" + lasting;
    case 2: return R"("do": "black_hole")" + lasting;
    case 3:
      return R"("do": "black_hole", "direction": ")" + std::string(random.chance(50) ? "in" : "out") + "\"" + lasting;
    case 4: return R"("do": "slow", "amount": )" + std::to_string(random.between(5, 60)) + lasting;
    case 5: return R"("do": "loss", "amount": 0.0)" + std::to_string(random.between(1, 9)) + lasting;
    case 6:
      return R"("do": "complete_with", "status": "REM_OP_ERR", "count": )" + std::to_string(random.between(1, 4));
    case 7: return gidChange(random, number);
    case 8: return R"("do": "flush", "by": )" + us(random.between(100, 20'000)) + lasting;
    case 9:
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

namespace {

std::string faultAt(int64_t at, const std::string& target, const std::string& act) {
  return R"({"at": )" + us(at) + R"(, "target": ")" + target + "\", " + act + "}";
}

// What no repair can make good. Data that were acknowledged and not placed are missed when the rail fails afterwards;
// until then nobody can know.
std::string drawBadFaults(ChaosRandom& random, int64_t at, const std::string& target) {
  const std::string lasting = R"(, "for": )" + us(random.between(1'000, 60'000));
  if (random.chance(50)) return faultAt(at, target, R"("do": "flush", "never": true)" + lasting);
  return faultAt(at, target, R"("do": "ack_without_placing", "op": "write_imm", "count": 1, "for": "1ms")") + ",\n" +
         faultAt(at + 1'000, target, R"("do": "port_down")" + lasting);
}

}  // namespace

std::string drawFaults(ChaosRandom& random, const ChaosShape& shape, bool spare) {
  std::string list;
  int number = 0;
  const auto next = [&](int64_t at) {
    at += random.between(500, 15'000);
    return shape.comms && at >= kBoutUs && at < kSecondBoutUs ? kSecondBoutUs : at;
  };
  const int64_t end = shape.comms ? kSecondBoutUs + kBoutUs : kBoutUs;
  for (int64_t at = random.between(100, 5'000); at < end; at = next(at)) {
    const bool sender = random.chance(50);
    const size_t rails = sender ? shape.senders : shape.receivers;
    const size_t rail = static_cast<size_t>(random.between(0, static_cast<int64_t>(rails) - 1));
    const std::string target = (sender ? "a/emu" : "b/emu") + std::to_string(rail);
    const bool bad = !spare && random.chance(10);
    const std::string fault =
        bad ? drawBadFaults(random, at, target) : faultAt(at, target, drawAct(random, number++));
    if (spare && rail == (sender ? shape.spareSender : shape.spareReceiver)) continue;
    list += (list.empty() ? "" : ",\n") + fault;
  }
  return "[" + list + "]";
}

}  // namespace polyrail::net
