// SPDX-License-Identifier: Apache-2.0
// A baseline store: one SQLite file with all that was read from nccl-tests' output, file by file, each with where it
// came from. Files are told apart by their bytes, so adding one twice changes nothing. Every addition is one
// transaction. One thread at a time; several processes may share the file.
#pragma once

#include <string>
#include <vector>

#include "cli/data/labelled_run.h"
#include "cli/store/database.h"

namespace polyrail::cli {

struct StoredFile {
  std::string name, sha256;
  std::string addedAt;  // ISO 8601 UTC
  std::string label;    // campaign
};

class Store {
 public:
  // kCreate makes the file when there is none. A file that is no store, or a newer one, is refused.
  static Result<Store> open(const std::string& path, OpenMode mode);

  // False when a file with these bytes is there already, under whatever name; then nothing changes. Runs carry no
  // file name of their own: the stored one is theirs.
  Result<bool> add(const StoredFile& file, const std::vector<Run>& runs);
  // Everything, in order of addition.
  Result<std::vector<LabelledRun>> runs();
  Result<std::vector<StoredFile>> files();

 private:
  explicit Store(Database database) : database_(std::move(database)) {}
  Database database_;
};

// True when the file begins as every SQLite database does.
bool looksLikeDatabase(const std::string& path);

// SHA-256 of a file's bytes in hex, as sha256sum prints it, in bounded memory.
Result<std::string> fileDigest(const std::string& path);

}  // namespace polyrail::cli
