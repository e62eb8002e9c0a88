// SPDX-License-Identifier: Apache-2.0
// Reads the mapped file of a process, as `polyrail top` does, without stopping it: a file that somebody else made is
// checked, not trusted. It is read, not mapped, so that one that shrinks meanwhile is an error and no signal. One
// thread a reader.
#pragma once

#include <string>
#include <vector>

#include "common/status.h"
#include "net/telemetry/layout.h"

namespace polyrail::net {

struct Snapshot {
  TelemetryHeader header{};
  bool alive = false;             // the process still holds the file
  std::vector<RailRecord> rails;  // in the order of the table, so that PathRecord::rail is an index
  std::vector<CommRecord> comms;  // open and failed ones
  std::vector<PathRecord> paths;  // of those
  // Records that were being written each time one looked, or that make no sense: left out, and counted.
  size_t torn = 0;
};

class TelemetryReader {
 public:
  // The error is one sentence with the file and what is wrong with it.
  static Result<TelemetryReader> open(const std::string& file);
  TelemetryReader(TelemetryReader&& other) noexcept;
  TelemetryReader& operator=(TelemetryReader&&) = delete;
  ~TelemetryReader();

  const std::string& file() const { return file_; }
  // Another process holds it: whoever writes it is alive.
  bool held() const;
  // What is there now. A process that reads its own file sees itself as gone, and others do from then on.
  Result<Snapshot> read() const;

 private:
  TelemetryReader(int descriptor, std::string file) : descriptor_(descriptor), file_(std::move(file)) {}
  Status readAt(void* bytes, size_t size, uint64_t offset) const;
  Status check(const TelemetryHeader& header) const;
  template <typename Record>
  Status readTable(uint64_t offset, uint32_t used, std::vector<Record>* records, size_t* torn) const;
  template <typename Record>
  Status readOnce(uint64_t offset, std::vector<Record>* records, std::vector<bool>* whole) const;

  int descriptor_;
  std::string file_;
};

// The folder that POLYRAIL_TELEMETRY_DIR says, or its default.
std::string telemetryFolder();
// Files in it that are named as processes name theirs, sorted; those of dead processes too.
std::vector<std::string> telemetryFiles(const std::string& folder);

}  // namespace polyrail::net
