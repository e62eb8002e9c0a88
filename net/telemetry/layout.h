// SPDX-License-Identifier: Apache-2.0
// The mapped file in which a process shows what its rails, comms and paths do (docs/telemetry.md), bit for bit: a
// header, then three tables of records, each at a fixed place. One process writes; any other may read while it does.
// Every record begins with a sequence number that is odd while it is written and 0 as long as nobody has used it.
// Plain values; little-endian machines only. A change of any offset is a new kTelemetryVersion.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace polyrail::net {

static_assert(std::endian::native == std::endian::little);

inline constexpr uint64_t kTelemetryMagic = 0x6c696172796c6f70;  // "polyrail"
inline constexpr uint32_t kTelemetryVersion = 1;
// Records a process has room for; what does not fit is counted. The file is sparse: only what is used takes memory.
inline constexpr uint32_t kRailRecords = 64, kCommRecords = 1024, kPathRecords = 4096;
inline constexpr uint32_t kCommEvents = 64;
inline constexpr int32_t kNoRank = -1;
inline constexpr uint32_t kNoRail = UINT32_MAX;

// Times from posting a chunk to its completion: bucket b counts those of 2^b to 2^(b+1) - 1 ns, bucket 0 also 0.
using LatencyHistogram = std::array<uint64_t, 40>;

enum class RailState : uint32_t { kUnused, kUp, kDown, kLost };
enum class CommState : uint32_t { kUnused, kOpen, kFailed };
enum class CommKind : uint32_t { kSend, kReceive };
// As a repair takes a path through them (docs/wire-protocol.md, chapter 5).
enum class PathPhase : uint32_t { kUnused, kLive, kBroken, kFenced, kMaking, kProving };

// What a comm remembers of its last kCommEvents; docs/telemetry.md says what `value` is of each.
enum class EventKind : uint16_t {
  kNone,
  kOpened,   // the comm, with so many paths
  kFailed,   // a path is out of use: its queue pair
  kStopped,  // its queue pair is in ERR: the errno of that
  kFence,    // FENCE was said, or heard: the epoch
  kFenced,   // FENCED was heard, or said: the epoch
  kGrants,   // grants come on this path from now on
  kMade,     // a new queue pair: its number
  kProbe,    // the first WRITE on it was posted
  kLive,     // it carries data: the queue pair
  kGaveUp,   // a try to make it anew has failed: how many in a row
  kDetour,   // a path between rails that the plan has none for
  kEnded,    // the comm: its Outcome
};
inline constexpr uint16_t kNoPathOfEvent = UINT16_MAX;

struct EventRecord {
  int64_t time = 0;  // monotonic ns
  uint64_t value = 0;
  EventKind kind = EventKind::kNone;
  uint16_t path = kNoPathOfEvent;
  uint32_t reserved = 0;
};

struct TelemetryHeader {
  uint64_t sequence;
  uint64_t magic;
  uint32_t version, headerBytes;
  uint32_t railRecords, commRecords, pathRecords;  // places
  uint32_t railBytes, commBytes, pathBytes;        // of one record
  uint64_t railOffset, commOffset, pathOffset, fileBytes;
  uint32_t process;
  int32_t rank;                              // kNoRank until a send has told
  int64_t startWall;                         // ns since 1970
  int64_t startTime, updatedTime;            // monotonic ns
  uint32_t railsUsed, commsUsed, pathsUsed;  // records from the first on that have ever been used
  uint32_t reserved;
  uint64_t commsOpened, commsWithoutRecord, pathsWithoutRecord;
  char host[64], boot[40], command[64], release[24];
};

struct RailRecord {
  uint64_t sequence;
  char name[24];  // "mlx5_0:1"
  char netdev[16], pci[16];
  uint8_t gid[16];
  uint32_t gidIndex, mtuBytes, speedMbps, ethernet;
  RailState state;
  uint32_t slow;                              // 1: named as slower than its siblings, and not recovered
  uint32_t paths, livePaths;                  // of open comms
  uint64_t bytesSent, bytesReceived;          // posted and arrived, since the process began
  uint64_t chunksSent, chunksReceived;        // completed and arrived
  uint64_t sentPerSecond, receivedPerSecond;  // bytes, of the last second or so
  uint64_t serviceRate;                       // bytes a second while loaded, of all sending paths; 0: not measured
  uint64_t failures, revivals, stuck;         // of its paths; stuck: those that the watchdog found
  uint64_t portDowns, portUps;
  int64_t lastFailure;  // monotonic ns; 0: none
  char lastCause[160];
  LatencyHistogram latency;
};

struct CommRecord {
  uint64_t sequence;
  uint64_t id;  // 1, 2, 3 ... in the process
  CommState state;
  CommKind kind;
  uint32_t device;  // as NCCL numbers it
  int32_t tag;      // of the newest request: from NCCL the sender's rank
  uint32_t hasTag, rails, paths, livePaths;
  uint64_t requests;  // granted since it was opened
  uint32_t outstanding, peerProcess;
  uint64_t backlog;  // bytes that wait for a path
  int64_t opened;    // monotonic ns
  char peerHost[64], peerAddress[56];
  char error[160];
  uint64_t events;  // so many there have been; the newest is event[(events - 1) % kCommEvents]
  std::array<EventRecord, kCommEvents> event;
};

struct PathRecord {
  uint64_t sequence;
  uint64_t comm;  // id of its comm
  uint32_t index;
  PathPhase phase;
  uint32_t rail;  // of the rail table, or kNoRail
  uint32_t queuePair, incarnation, mtuBytes;
  char peerRail[24];
  uint8_t peerGid[16];
  uint64_t bytes, chunks;  // sender: posted and completed; receiver: arrived
  uint64_t inFlight;       // bytes; 0 where only work requests are counted
  uint64_t rate;           // bytes a second while loaded; 0: not measured
  uint64_t latencyNs;      // of the last few chunks that were sampled; 0: of none
  uint64_t failures, revivals, stuck;
  int64_t changed;          // monotonic ns; when it last broke or came back
  uint32_t posted, detour;  // work requests under way; 1: no path of the plan
  char lastCause[128];
  LatencyHistogram latency;
};

inline constexpr uint64_t kRailOffset = 4096;
inline constexpr uint64_t kCommOffset = kRailOffset + kRailRecords * sizeof(RailRecord);
inline constexpr uint64_t kPathOffset = kCommOffset + kCommRecords * sizeof(CommRecord);
inline constexpr uint64_t kTelemetryBytes = kPathOffset + kPathRecords * sizeof(PathRecord);

// Version 1. A reader of another version refuses the file.
static_assert(sizeof(EventRecord) == 24 && sizeof(TelemetryHeader) == 344 && sizeof(TelemetryHeader) <= kRailOffset);
static_assert(offsetof(TelemetryHeader, railOffset) == 48 && offsetof(TelemetryHeader, process) == 80 &&
              offsetof(TelemetryHeader, railsUsed) == 112 && offsetof(TelemetryHeader, host) == 152);
static_assert(offsetof(RailRecord, state) == 96 && offsetof(RailRecord, bytesSent) == 112 &&
              offsetof(RailRecord, lastCause) == 216 && sizeof(RailRecord) == 696);
static_assert(offsetof(CommRecord, requests) == 48 && offsetof(CommRecord, peerHost) == 80 &&
              offsetof(CommRecord, events) == 360 && sizeof(CommRecord) == 1904);
static_assert(offsetof(PathRecord, bytes) == 80 && offsetof(PathRecord, changed) == 144 &&
              offsetof(PathRecord, lastCause) == 160 && sizeof(PathRecord) == 608);

}  // namespace polyrail::net
