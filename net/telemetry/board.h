// SPDX-License-Identifier: Apache-2.0
// All that a process shows: its rails, the comms that are open and their paths, in the mapped file where there is
// one. Comms are shown by control now and then, never from the hot path; rails are the sum of what their comms show.
// Owned by the Library; any thread. Times are ns of the monotonic clock.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/mutex.h"
#include "net/telemetry/comm_view.h"
#include "net/telemetry/mapped_file.h"
#include "net/telemetry/rail_load.h"

namespace polyrail::net {

class Board {
 public:
  // Whoever a comm is connected to, and by which device of NCCL's.
  struct Peer {
    std::string host, address;
    uint32_t process = 0, device = 0;
  };
  // A comm's place, which its owner keeps from open() to close() and does not look into.
  struct Place {
    CommView view;  // as last shown
    Peer peer;
    int64_t opened = 0;
    uint64_t id = 0;
    std::vector<uint32_t> rails;       // in the table, by the comm's own
    uint32_t record = kNone;           // in the table of comms
    std::vector<uint32_t> records;     // in the table of paths
    std::vector<PathRecord> summed;    // what the rails have of its paths
    std::vector<uint64_t> atLastTurn;  // bytes of its paths
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  // `rails` as the process begins; `file` may be null. The header's places are filled in here.
  Board(std::unique_ptr<MappedFile> file, const TelemetryHeader& header, std::vector<RailRecord> rails);

  // False in a forked child.
  bool isOurs() const;
  // Empty: there is none.
  std::string fileName() const { return file_ ? file_->name() : ""; }
  // `railNames`: of the comm's rails, as in RailRecord::name.
  void open(Place* place, Peer peer, const std::vector<std::string>& railNames, int64_t now);
  void show(Place* place, const CommView& view);
  void close(Place* place, int64_t now);
  // What is known of a rail besides its traffic; it shows at the next turn.
  void setRail(uint32_t rail, RailState state, uint64_t downs, uint64_t ups);
  void setSlow(uint32_t rail, bool slow);
  // Rates since the last turn, and all rails into the file. What each rail carried meanwhile; nothing when it is
  // not due. From one thread.
  static constexpr int64_t kTurnNs = 250'000'000;
  bool isDue(int64_t now) const { return now - turned_ >= kTurnNs; }
  std::vector<RailLoad> turn(int64_t now);
  // The file goes; whoever still shows may go on.
  void end();

  TelemetryHeader header() const;
  std::vector<RailRecord> rails() const;

 private:
  struct Seen {  // of a rail, at the last turn
    uint64_t sent = 0, received = 0;
  };
  uint32_t take(std::vector<bool>* used, uint64_t offset, size_t bytes, uint32_t* everUsed);
  void takeRecords(Place* place);
  void giveBack(Place* place);
  void sum(Place* place, unsigned path);
  void storePath(const Place& place, unsigned path);
  void storeComm(const Place& place);
  void storeRails(int64_t now);
  std::vector<RailLoad> loads();
  void addLoad(Place* place, std::vector<RailLoad>* loads);

  mutable Mutex mutex_;
  const std::unique_ptr<MappedFile> file_;
  TelemetryHeader header_;
  std::vector<RailRecord> rails_;
  std::vector<Seen> seen_;
  std::vector<Place*> places_;
  std::vector<bool> commsUsed_ = std::vector<bool>(kCommRecords), pathsUsed_ = std::vector<bool>(kPathRecords);
  int64_t turned_ = 0;
};

}  // namespace polyrail::net
