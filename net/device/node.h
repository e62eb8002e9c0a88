// SPDX-License-Identifier: Apache-2.0
// The list of devices that NCCL sees: first the physical ones, then virtual ones that fuse several of them. For NCCL
// that cannot ask for fusion (plugin ABI up to v8) the first part is already fused, by our rule: the ports of one
// card, wider only where the user says so. One Node serves all of a process with the same ABI family; calls may
// come from any thread. References to devices stay valid as long as the Node lives.
#pragma once

#include <deque>

#include <span>
#include <string>
#include <vector>

#include "common/mutex.h"
#include "common/nccl/net_types.h"
#include "common/status.h"
#include "net/device/distance.h"
#include "net/device/port.h"
#include "net/settings.h"

namespace polyrail::net {

struct NodeDevice {
  std::string name;          // "mlx5_0+mlx5_1": NCCL keeps the pointer
  std::string pciPath;       // of its first port
  std::vector<int> members;  // devices it fuses, as NCCL numbers them; a physical one names itself
  std::vector<int> ports;    // indices into Node::ports(): its rails, 1 to 8
  uint32_t speedMbps = 0;    // the sum
  float latencyUs = 0;       // the largest
  uint64_t guid = 0;
  int port = 1;  // NCCL's port number
  int maxComms = 0;
  int ptrSupport = 0;  // nccl::kPtr*
  bool forceFlush = false;
  int rail = -1, plane = -1;
  std::string why;  // of a fused one: who asked
};

// How many virtual devices one copy of NCCL has asked for. Two copies in a process count separately, or the second
// would take the virtual devices of the first for cards.
struct NodeView {
  int virtuals = 0;
};

class Node {
 public:
  enum class Fusion : uint8_t { kByNccl, kByUs };

  Node(std::vector<Port> ports, const DeviceSettings& settings, Fusion fusion, const Locality& locality);

  const std::vector<Port>& ports() const { return ports_; }
  int physicals() const { return physicals_; }
  // What `devices` tells NCCL.
  int count(const NodeView& view) const { return physicals_ + view.virtuals; }
  // Null when there is none of that number.
  const NodeDevice* device(int index) const;
  // makeVDevice: the index of the new device. At most `most` members (8 from v12 on, else 4), all physical and of one
  // link layer. A copy of NCCL that asks for what another copy has gets the same index.
  Result<int> fuse(std::span<const int> members, int most, NodeView* view);
  // One sentence for each that could not be done as asked (a group of NCCL_NET_FORCE_MERGE that fits no NICs).
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  NodeDevice make(const std::vector<int>& ports) const;
  Status mayFuse(std::span<const int> members, int most) const;

  const std::vector<Port> ports_;
  const bool mayMerge_;
  int physicals_ = 0;
  std::vector<std::string> problems_;
  mutable Mutex mutex_;
  std::deque<NodeDevice> devices_;
};

}  // namespace polyrail::net
