// SPDX-License-Identifier: Apache-2.0
// The writer's side of a process's telemetry file: makes it under a name of its own, holds its lock while the process
// lives, stores records so that readers can tell half-written ones, and removes it. Space is taken as records come
// into use, so that a full file system refuses a record and never ends the process by a signal. One owner, one thread
// at a time; a forked child leaves all as it is.
#pragma once

#include <memory>
#include <string>

#include "common/status.h"
#include "net/telemetry/layout.h"

namespace polyrail::net {

enum class Readers : uint8_t { kUser, kUsersGroup, kEveryone };  // POLYRAIL_TELEMETRY_READERS

class MappedFile {
 public:
  // With that header, and no records. Files that dead processes of this user left in the folder are removed. The
  // error is one sentence with folder and cause.
  static Result<std::unique_ptr<MappedFile>> create(const std::string& folder, Readers readers,
                                                    const TelemetryHeader& header);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& name() const { return name_; }
  // Takes the space of a record. False when there is none left.
  bool reserve(uint64_t offset, size_t bytes);
  // REQUIRES: reserved. The record's sequence is the file's business.
  template <typename Record>
  void store(uint64_t offset, const Record& record) {
    static_assert(sizeof(Record) % 8 == 0);
    store(offset, reinterpret_cast<const uint64_t*>(&record), sizeof(Record) / 8);
  }
  // The file goes; the mapping stays for whoever still stores.
  void remove();

 private:
  MappedFile(std::string name, int descriptor);
  Status map();
  void store(uint64_t offset, const uint64_t* words, size_t count);

  std::string name_;
  int descriptor_;
  char* base_ = nullptr;
  int process_;
};

// Of a folder's files, those of this user whose process is gone go.
void removeDeadFiles(const std::string& folder);

}  // namespace polyrail::net
