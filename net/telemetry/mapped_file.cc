// SPDX-License-Identifier: Apache-2.0
#include "net/telemetry/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "net/telemetry/reader.h"

namespace polyrail::net {
namespace {

mode_t modeFor(Readers readers) {
  return readers == Readers::kUser ? 0600 : readers == Readers::kUsersGroup ? 0640 : 0644;
}

// The process may be one of another PID namespace that shares the folder, and two copies of the plugin one process.
std::string ownName() {
  uint32_t random = 0;
  if (getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random) random = static_cast<uint32_t>(getpid());
  char name[64];
  std::snprintf(name, sizeof name, "polyrail.%d.%08x", getpid(), random);
  return name;
}

Status failed(const std::string& what) { return Status::error(what + ": " + std::strerror(errno)); }

bool isDead(const std::string& file) {
  struct stat about {};
  if (lstat(file.c_str(), &about) != 0 || !S_ISREG(about.st_mode) || about.st_uid != geteuid()) return false;
  const Result<TelemetryReader> reader = TelemetryReader::open(file);
  return reader.ok() && !reader.value().held();
}

}  // namespace

MappedFile::MappedFile(std::string name, int descriptor)
    : name_(std::move(name)), descriptor_(descriptor), process_(getpid()) {}

MappedFile::~MappedFile() {
  remove();
  if (base_) munmap(base_, kTelemetryBytes);
  if (descriptor_ >= 0) close(descriptor_);
}

void MappedFile::remove() {
  if (process_ == getpid() && !name_.empty()) unlink(name_.c_str());
  name_.clear();
}

// It gets its name once it is whole and locked, so that nobody takes it for a dead one's.
Result<std::unique_ptr<MappedFile>> MappedFile::create(const std::string& folder, Readers readers,
                                                       const TelemetryHeader& header) {
  removeDeadFiles(folder);
  const std::string name = ownName(), final = folder + "/" + name, fresh = folder + "/." + name;
  const int descriptor = open(fresh.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) return failed("cannot make a file in " + folder);
  std::unique_ptr<MappedFile> file(new MappedFile(fresh, descriptor));
  if (const Status s = file->map(); !s.ok()) return s;
  if (!file->reserve(0, kRailOffset)) return failed("cannot take space in " + folder);
  file->store(0, header);
  if (fchmod(descriptor, modeFor(readers)) != 0 || rename(fresh.c_str(), final.c_str()) != 0)
    return failed("cannot name a file in " + folder);
  file->name_ = final;
  return file;
}

Status MappedFile::map() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (fcntl(descriptor_, F_SETLK, &lock) != 0) return failed("cannot lock " + name_);
  if (ftruncate(descriptor_, kTelemetryBytes) != 0) return failed("cannot extend " + name_);
  void* base = mmap(nullptr, kTelemetryBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (base == MAP_FAILED) return failed("cannot map " + name_);
  base_ = static_cast<char*>(base);
  return {};
}

bool MappedFile::reserve(uint64_t offset, size_t bytes) {
  return process_ == getpid() &&
         fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset), static_cast<off_t>(bytes)) == 0;
}

void MappedFile::store(uint64_t offset, const uint64_t* words, size_t count) {
  if (process_ != getpid()) return;
  uint64_t* const to = reinterpret_cast<uint64_t*>(base_ + offset);
  std::atomic_ref<uint64_t> sequence(*to);
  const uint64_t before = sequence.load(std::memory_order_relaxed);
  sequence.store(before + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  for (size_t i = 1; i < count; i++) std::atomic_ref<uint64_t>(to[i]).store(words[i], std::memory_order_relaxed);
  sequence.store(before + 2, std::memory_order_release);
}

// This process's own are alive, and a look at one would drop its lock.
void removeDeadFiles(const std::string& folder) {
  const std::string own = folder + "/polyrail." + std::to_string(getpid()) + ".";
  for (const std::string& file : telemetryFiles(folder))
    if (file.compare(0, own.size(), own) != 0 && isDead(file)) unlink(file.c_str());
}

}  // namespace polyrail::net
