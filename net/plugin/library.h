// SPDX-License-Identifier: Apache-2.0
// polyrail in one process: settings, the verbs library, the NICs found and opened, the wire, the reactor and its
// thread. Made by the first init, shared by all contexts (of any number of NCCL copies), gone with the last. What it
// holds is constant once made but for GIDs, which events make stale; calls may come from any thread.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "common/clock.h"
#include "common/log.h"
#include "common/mutex.h"
#include "common/sysroot.h"
#include "net/connect/greeting.h"
#include "net/connect/tcp_wire.h"
#include "net/device/node.h"
#include "net/device/open_device.h"
#include "net/memory/rail_memory.h"
#include "net/plugin/ends.h"
#include "net/plugin/rail_events.h"
#include "net/plugin/reports.h"
#include "net/reactor/control_thread.h"
#include "net/settings.h"
#include "net/telemetry/board.h"
#include "net/telemetry/slow_rails.h"
#include "net/verbs/load.h"
#include "net/verbs/mlx5.h"

namespace polyrail::net {

class Library final : private Chore {
 public:
  // One more who uses it; the first makes it. The error is one sentence with cause and remedy.
  static Result<Library*> acquire(const Log& log);
  // The last one ends it: its thread is joined, its NICs are closed.
  static void release();

  ~Library() override;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const NetSettings& settings() const { return settings_; }
  const Verbs& verbs() const { return verbs_.verbs; }
  const Clock& clock() const { return clock_; }
  Wire& wire() { return *wire_; }
  Reactor& reactor() { return *reactor_; }
  const Greeting& greeting() const { return greeting_; }
  Node& node(Node::Fusion fusion) { return fusion == Node::Fusion::kByUs ? *byUs_ : *byNccl_; }
  const Log& log() const { return log_; }

  // Comms that NCCL has not closed.
  void endMade() { ends_.fetch_add(1, std::memory_order_relaxed); }
  void endGone() { ends_.fetch_sub(1, std::memory_order_release); }
  bool endsAlive() const { return ends_.load(std::memory_order_acquire) > 0; }
  Ends& ends() { return all_; }
  Reports& reports() { return reports_; }
  // For the end of the process: the thread is joined, all else is left as it is.
  void stopControl();
  // Null: nothing is shown.
  Board* board() const { return board_.get(); }

  // Ports of the rails of a comm on this device: its own, then those of NICs that may stand in for them.
  std::vector<int> railPorts(const NodeDevice& device) const;
  // These rails as they are now, for a new comm. An error when one of the device's own cannot be used.
  Result<std::vector<LocalRail>> rails(const NodeDevice& device, std::span<const int> ports);
  // One of them, looked at again for a path that is made anew: GID, LID, MTU. Hundreds of small reads: for the
  // control thread. An error while its port is down.
  Result<LocalRail> refreshed(int port);
  // How many queue pairs a new connection makes on each pair of rails: what the user says; else one for each cable of
  // a bond; and one only when a NIC's queue pairs run low, which is said once.
  int queuePairs(const NodeDevice& device);
  // After a connection of the device was made.
  void sayOfBonds(const NodeDevice& device);
  std::vector<MemoryRail> memoryRails(std::span<const int> ports);

 private:
  explicit Library(const Log& log) : log_(log) {}
  Status start();
  Status findNics();
  Status openNics();
  Status openControl();
  void widenLimits();
  void say() const;
  // The control thread: reads again what events say has changed, so that connect need not.
  int betweenTurns() override;
  bool lookAgain(size_t port);
  void beginCounting();
  bool counting_ = false;
  Status usable(size_t port) const;
  void showRails();

  Log log_;
  NetSettings settings_;
  VerbsLibrary verbs_;
  Mlx5Library mlx5_;  // empty on a machine without such NICs
  RealClock clock_;
  SysRoot root_ = SysRoot::live();
  Mutex portsMutex_;
  std::vector<Port> ports_;       // as they are now
  std::vector<Status> problems_;  // by port: why it cannot be used at present
  Locality locality_;
  std::unique_ptr<Node> byNccl_, byUs_;
  std::vector<std::shared_ptr<OpenDevice>> devices_;  // by port
  Greeting greeting_;
  Reports reports_{root_, clock_, greeting_};
  std::unique_ptr<TcpWire> wire_;
  std::unique_ptr<Reactor> reactor_;
  Ends all_;
  std::vector<std::unique_ptr<RailEvents>> events_;  // one an opened NIC
  std::unique_ptr<Board> board_;
  SlowRails slow_;
  ControlThread thread_;
  std::atomic<int> ends_{0};
};

}  // namespace polyrail::net
