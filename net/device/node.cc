// SPDX-License-Identifier: Apache-2.0
#include "net/device/node.h"

#include <mutex>

#include <algorithm>

#include "net/device/fusion.h"

namespace polyrail::net {
namespace {

bool sameMembers(const std::vector<int>& a, std::span<const int> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

int pointers(const Port& p) {
  return nccl::kPtrHost | (p.gpuDirect.peermem ? nccl::kPtrCuda : 0) | (p.gpuDirect.dmaBuf ? nccl::kPtrDmaBuf : 0);
}

}  // namespace

Node::Node(std::vector<Port> ports, const DeviceSettings& settings, Fusion fusion, const Locality& locality)
    : ports_(std::move(ports)), mayMerge_(settings.mergeNics) {
  if (fusion == Fusion::kByNccl) {
    for (size_t i = 0; i < ports_.size(); i++) devices_.push_back(make({static_cast<int>(i)}));
  } else {
    FusionPlan plan = planFusion(ports_, settings, locality);
    for (const FusedGroup& group : plan.groups) {
      devices_.push_back(make(group.ports));
      devices_.back().why = group.why;
    }
    problems_ = std::move(plan.problems);
  }
  physicals_ = static_cast<int>(devices_.size());
  for (int i = 0; i < physicals_; i++) devices_[static_cast<size_t>(i)].members = {i};
}

NodeDevice Node::make(const std::vector<int>& ports) const {
  const Port& first = ports_[static_cast<size_t>(ports[0])];
  NodeDevice d;
  d.ports = ports;
  d.pciPath = first.pciPath;
  d.guid = first.guid;
  d.port = first.number + first.realPort;
  d.maxComms = first.limits.maxQp > 0 ? first.limits.maxQp : 65536;
  d.ptrSupport = pointers(first);
  d.rail = first.rail;
  d.plane = ports.size() == 1 ? first.plane : -1;
  for (const int i : ports) {
    const Port& p = ports_[static_cast<size_t>(i)];
    d.name += (d.name.empty() ? "" : "+") + p.deviceName() + (p.number > 1 ? ":" + std::to_string(p.number) : "");
    d.speedMbps += p.speedMbps;
    d.latencyUs = std::max(d.latencyUs, p.latencyUs);
    if (p.limits.maxQp > 0) d.maxComms = std::min(d.maxComms, p.limits.maxQp);
    d.ptrSupport &= pointers(p);  // what one rail cannot reach, the device cannot
    d.forceFlush = d.forceFlush || p.dataDirect;
    if (p.rail != d.rail) d.rail = -1;
  }
  return d;
}

const NodeDevice* Node::device(int index) const {
  const std::lock_guard lock(mutex_);
  return index >= 0 && static_cast<size_t>(index) < devices_.size() ? &devices_[static_cast<size_t>(index)] : nullptr;
}

Status Node::mayFuse(std::span<const int> members, int most) const {
  if (members.empty() || static_cast<int>(members.size()) > most)
    return Status::error("a virtual device has 1 to " + std::to_string(most) + " members, not " +
                         std::to_string(members.size()));
  if (!mayMerge_ && members.size() > 1) return Status::error("NCCL_IB_MERGE_NICS=0 forbids virtual devices");
  size_t rails = 0;
  for (size_t i = 0; i < members.size(); i++) {
    if (members[i] < 0 || members[i] >= physicals_)
      return Status::error("device " + std::to_string(members[i]) + " is none of the " + std::to_string(physicals_) +
                           " physical ones");
    if (std::count(members.begin(), members.end(), members[i]) > 1)
      return Status::error("device " + std::to_string(members[i]) + " is named twice");
    const NodeDevice& d = devices_[static_cast<size_t>(members[i])];
    rails += d.ports.size();
    const Port &one = ports_[static_cast<size_t>(d.ports[0])],
               &first = ports_[static_cast<size_t>(devices_[static_cast<size_t>(members[0])].ports[0])];
    if (one.link != first.link)
      return Status::error(first.name() + " and " + one.name() +
                           " are InfiniBand and Ethernet; name ports of one kind in NCCL_IB_HCA");
  }
  if (rails > kMaxRails) return Status::error("a device has at most 8 rails");
  return {};
}

Result<int> Node::fuse(std::span<const int> members, int most, NodeView* view) {
  const std::lock_guard lock(mutex_);
  if (Status bad = mayFuse(members, most); !bad.ok()) return bad;
  const size_t index = static_cast<size_t>(physicals_) + static_cast<size_t>(view->virtuals);
  if (index < devices_.size() && !sameMembers(devices_[index].members, members))
    return Status::error("another copy of NCCL in this process has fused its devices in another way");
  if (index == devices_.size()) {
    std::vector<int> ports;
    for (const int m : members) {
      const std::vector<int>& more = devices_[static_cast<size_t>(m)].ports;
      ports.insert(ports.end(), more.begin(), more.end());
    }
    devices_.push_back(make(ports));
    devices_.back().members.assign(members.begin(), members.end());
    devices_.back().why = "NCCL asked for it";
  }
  view->virtuals++;
  return static_cast<int>(index);
}

}  // namespace polyrail::net
