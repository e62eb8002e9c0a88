// SPDX-License-Identifier: Apache-2.0
#include "cli/store/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "cli/store/run_loader.h"
#include "cli/store/run_writer.h"
#include "cli/store/schema.h"
#include "common/policy/policy_file.h"

namespace polyrail::cli {

Result<Store> Store::open(const std::string& path, OpenMode mode) {
  Result<Database> database = Database::open(path, mode);
  if (!database.ok()) return database.status();
  const Status ready = prepareSchema(database.value(), mode);
  if (!ready.ok()) return ready;
  return Store(std::move(database).value());
}

Result<bool> Store::add(const StoredFile& file, const std::vector<Run>& runs) {
  Transaction transaction(database_);
  if (!transaction.status().ok()) return transaction.status();
  Statement insert(database_,
                   "INSERT INTO files (name, sha256, added_at, label) VALUES (?,?,?,?) "
                   "ON CONFLICT (sha256) DO NOTHING");
  insert.bind(file.name).bind(file.sha256).bind(file.addedAt).bind(file.label);
  if (!insert.execute()) return insert.status();
  if (sqlite3_changes(database_.handle()) == 0) return false;
  const int64_t id = insert.lastRow();
  RunWriter writer(database_);
  for (const Run& run : runs)
    if (const Status written = writer.write(id, run); !written.ok()) return written;
  const Status done = transaction.commit();
  if (!done.ok()) return done;
  return true;
}

Result<std::vector<LabelledRun>> Store::runs() { return loadRuns(database_); }

Result<std::vector<StoredFile>> Store::files() {
  Statement s(database_, "SELECT name, sha256, added_at, label FROM files ORDER BY id");
  std::vector<StoredFile> files;
  while (s.step()) {
    StoredFile file;
    file.name = s.text(), file.sha256 = s.text(), file.addedAt = s.text(), file.label = s.text();
    files.push_back(std::move(file));
  }
  if (!s.status().ok()) return s.status();
  return files;
}

bool looksLikeDatabase(const std::string& path) {
  char head[16] = {};
  std::ifstream(path, std::ios::binary).read(head, sizeof head);
  return std::memcmp(head, "SQLite format 3", sizeof head) == 0;
}

Result<std::string> fileDigest(const std::string& path) {
  const auto failed = [&] { return Status::error(fmt::format("{}: {}", path, std::strerror(errno))); };
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return failed();
  struct stat info {};
  if (fstat(fd, &info) != 0) return close(fd), failed();
  const auto size = static_cast<size_t>(info.st_size);
  if (size == 0) return close(fd), policyDigest("");
  void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (bytes == MAP_FAILED) return failed();
  std::string digest = policyDigest({static_cast<const char*>(bytes), size});
  munmap(bytes, size);
  return digest;
}

}  // namespace polyrail::cli
