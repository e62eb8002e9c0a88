// SPDX-License-Identifier: Apache-2.0
#include "test/unit/net-repair/control.h"

namespace polyrail::net {

CommOptions repairOptions(Rig& rig, bool sender) {
  CommOptions o = rig.options(sender);
  o.failover = true;
  o.refresh = [&rig, sender](unsigned rail) { return rig.refreshed(sender, rail); };
  return o;
}

CommOptions repairOptionsOn(Rig& rig, bool sender, unsigned nic) {
  CommOptions o = rig.optionsOn(sender, nic);
  o.failover = true;
  o.refresh = [&rig, sender, nic](unsigned rail) {
    return rig.refreshed(sender, static_cast<unsigned>((nic + rail) % rig.rails(sender).size()));
  };
  return o;
}

void Control::wakeAt(int64_t time) {
  if (time == Comm::kNever) return;
  rig_.sim().world().at(
      std::max(time, rig_.sim().now() + 1), [](void*, uint64_t) {}, nullptr, 0);
}

template <typename End>
void Control::deliver(End& end, const Letter& letter) {
  const std::span<const uint8_t> bytes(letter.frame);
  const Result<Frame> frame = decodeFrame(bytes.first(kFrameHeader));
  if (!frame.ok()) return;
  count_[static_cast<size_t>(frame.value().type)]++;
  end.hear(frame.value(), bytes.subspan(kFrameHeader), rig_.sim().now());
}

template <typename End>
bool Control::turnEnd(End& end, bool sender, int64_t* due) {
  rig_.on(sender);
  const int64_t now = rig_.sim().now();
  bool any = rig_.takeEvents(sender);
  while (!letters_.empty() && letters_.front().toSender == sender && letters_.front().time <= now) {
    const Letter letter = std::move(letters_.front());
    letters_.pop_front();
    deliver(end, letter);
    any = true;
  }
  if (any || woken_ || now >= *due) {
    *due = end.serve(now);
    wakeAt(*due);
    for (uint32_t rest = end.wantsMemory(); rest; rest &= rest - 1) {
      const unsigned rail = static_cast<unsigned>(std::countr_zero(rest));
      end.memoryIs(rail, extend ? extend(sender, rail) : Status());
    }
  }
  for (std::vector<uint8_t>& frame : end.takeOutbox()) {
    if (cut_) continue;
    letters_.push_back({now + latencyNs, !sender, std::move(frame)});
    wakeAt(now + latencyNs);
    any = true;
  }
  return any;
}

bool Control::turn() {
  const auto wake = [](void* self) { static_cast<Control*>(self)->woken_ = true; };
  pair_.send->setWaker(wake, this);
  pair_.recv->setWaker(wake, this);
  const bool sent = turnEnd(*pair_.send, true, &dueSend_);
  const bool received = turnEnd(*pair_.recv, false, &dueRecv_);
  woken_ = false;
  return sent || received;
}

}  // namespace polyrail::net
