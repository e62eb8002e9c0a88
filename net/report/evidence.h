// SPDX-License-Identifier: Apache-2.0
// What is known of a comm's end when it has ended, gathered by whoever knows it (the data path, the plugin, the port
// counters) for the report that an operator reads. Plain values without owners.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace polyrail::net {

// How the failure of a path showed.
enum class Symptom : uint8_t {
  kNone,
  kCompletion,   // work ended with a status
  kPost,         // work could not be posted
  kPoll,         // the completion queue could not be polled
  kPortDown,     // event of the port here
  kDeviceLost,   // fatal event of the NIC here
  kWatchdog,     // nothing completed for POLYRAIL_WATCHDOG
  kPeer,         // the other end says so
  kNoAnswer,     // a new queue pair was made and nothing came back
  kUnavailable,  // the port cannot be used now: down, no GID
};

struct Failure {
  Symptom symptom = Symptom::kNone;
  int status = 0;    // ibv_wc_status of kCompletion
  std::string text;  // one sentence: rail, peer and cause
};

// How a comm ended.
enum class Ending : uint8_t {
  kNone,
  kMisuse,      // the application's: a send longer than its receive, memory taken back; no network to look at
  kProtocol,    // the peer said what it may not
  kNoPath,      // no path for POLYRAIL_NO_PATH_TIMEOUT
  kPath,        // a path failed, and failover is off
  kPeerLeft,    // it closed in order while requests were under way here
  kPeerDied,    // its channel ended without a word
  kPeerEnded,   // it said that its end has failed, and why
  kUnplaced,    // data were acknowledged that never arrived
  kUnfenced,    // a queue pair could not be stopped, or does not give its work back
  kSilent,      // a repair was needed and the peer did not answer on the control channel
  kLocalEvent,  // a fatal event of a NIC or queue here
  kFlush,       // GPU memory could not be flushed
};

struct CounterChange {
  std::string name;  // "link_downed"
  uint64_t by = 0;
};

struct RailEvidence {
  std::string name;    // "mlx5_0:1"
  std::string device;  // "mlx5_0"
  unsigned port = 1, gidIndex = 0, lid = 0;
  std::string gid;
  bool lost = false;                   // its NIC has reported a fatal error
  bool counted = false;                // its counters could be read
  std::vector<CounterChange> changes;  // since the first connection of this process on it
};

struct PathEvidence {
  size_t rail = 0;  // place in Evidence::rails
  std::string remoteRail, remoteGid;
  uint32_t queuePair = 0, remoteQueuePair = 0;
  bool live = false;
  Failure first;       // what took it out of use
  std::string latest;  // what the last try to bring it back met; empty: nothing
};

struct PastEvent {
  int64_t agoNs = 0;
  std::string text;
};

struct Evidence {
  Ending ending = Ending::kNone;
  std::string why;  // one sentence
  bool sends = false;
  std::vector<int> ranks;  // of the sending end, as NCCL's tags tell; empty: nothing was sent yet
  std::string host;        // own
  uint32_t process = 0;
  std::string peer;  // "10.0.0.2:4711 (node2, process 77)"
  std::vector<RailEvidence> rails;
  std::vector<PathEvidence> paths;
  std::vector<PastEvent> events;  // oldest first
};

}  // namespace polyrail::net
