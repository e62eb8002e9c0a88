// SPDX-License-Identifier: Apache-2.0
#include "net/telemetry/reader.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "common/settings.h"
#include "net/telemetry/names.h"

namespace polyrail::net {
namespace {

constexpr int kTries = 8;  // a record is written within a microsecond

bool isUsed(const RailRecord& r) { return r.state != RailState::kUnused; }
bool isUsed(const CommRecord& r) { return r.state != CommState::kUnused; }
bool isUsed(const PathRecord& r) { return r.phase != PathPhase::kUnused; }

// Paths of comms that were closed meanwhile go with them; a rail that there is not is nonsense.
void keepSensible(Snapshot* s) {
  std::vector<uint64_t> ids;
  for (const CommRecord& c : s->comms) ids.push_back(c.id);
  std::sort(ids.begin(), ids.end());
  std::erase_if(s->paths, [&](const PathRecord& p) {
    if (!isUsed(p) || !std::binary_search(ids.begin(), ids.end(), p.comm)) return true;
    const bool senseless = p.rail != kNoRail && (p.rail >= s->rails.size() || !isUsed(s->rails[p.rail]));
    s->torn += senseless;
    return senseless;
  });
}

}  // namespace

TelemetryReader::TelemetryReader(TelemetryReader&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), file_(std::move(other.file_)) {}

TelemetryReader::~TelemetryReader() {
  if (descriptor_ >= 0) close(descriptor_);
}

// A name that leads to a pipe or a device must not make the reader wait.
Result<TelemetryReader> TelemetryReader::open(const std::string& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (descriptor < 0) return Status::error(file + ": " + std::strerror(errno));
  TelemetryReader reader(descriptor, file);
  TelemetryHeader header;
  if (const Status s = reader.readAt(&header, sizeof header, 0); !s.ok()) return s;
  if (const Status s = reader.check(header); !s.ok()) return s;
  return reader;
}

Status TelemetryReader::readAt(void* bytes, size_t size, uint64_t offset) const {
  for (size_t done = 0; done < size;) {
    const ssize_t n =
        pread(descriptor_, static_cast<char*>(bytes) + done, size - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Status::error(file_ + ": " + std::strerror(errno));
    if (n == 0)
      return Status::error(file_ + ": it ends at byte " + std::to_string(offset + done) +
                           "; it is no telemetry file of polyrail, or was cut short");
    done += static_cast<size_t>(n);
  }
  return {};
}

Status TelemetryReader::check(const TelemetryHeader& h) const {
  if (h.magic != kTelemetryMagic) return Status::error(file_ + ": it is no telemetry file of polyrail");
  if (h.version != kTelemetryVersion)
    return Status::error(file_ + ": it has version " + std::to_string(h.version) + " of the layout, this polyrail (" +
                         POLYRAIL_VERSION + ") reads " + std::to_string(kTelemetryVersion) +
                         "; use the command that came with the job's plugin (" + textIn(h.release) + ")");
  const bool fits = h.headerBytes == sizeof h && h.railRecords == kRailRecords && h.commRecords == kCommRecords &&
                    h.pathRecords == kPathRecords && h.railBytes == sizeof(RailRecord) &&
                    h.commBytes == sizeof(CommRecord) && h.pathBytes == sizeof(PathRecord) &&
                    h.railOffset == kRailOffset && h.commOffset == kCommOffset && h.pathOffset == kPathOffset &&
                    h.fileBytes == kTelemetryBytes && h.railsUsed <= kRailRecords && h.commsUsed <= kCommRecords &&
                    h.pathsUsed <= kPathRecords;
  if (!fits) return Status::error(file_ + ": its header is damaged");
  return {};
}

bool TelemetryReader::held() const {
  struct flock lock {};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  return fcntl(descriptor_, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

// Sequences, records, sequences: what has the same even one before and after was not written between.
template <typename Record>
Status TelemetryReader::readOnce(uint64_t offset, std::vector<Record>* records, std::vector<bool>* whole) const {
  const size_t bytes = records->size() * sizeof(Record);
  std::vector<Record> before(records->size()), now(records->size()), after(records->size());
  for (std::vector<Record>* pass : {&before, &now, &after})
    if (const Status s = readAt(pass->data(), bytes, offset); !s.ok()) return s;
  for (size_t i = 0; i < records->size(); i++) {
    if ((*whole)[i] || before[i].sequence != after[i].sequence || before[i].sequence % 2 != 0) continue;
    (*whole)[i] = true;
    (*records)[i] = now[i];
  }
  return {};
}

template <typename Record>
Status TelemetryReader::readTable(uint64_t offset, uint32_t used, std::vector<Record>* records, size_t* torn) const {
  records->resize(used);
  std::vector<bool> whole(used);
  for (int i = 0; i < kTries && std::count(whole.begin(), whole.end(), false) > 0; i++)
    if (const Status s = readOnce(offset, records, &whole); !s.ok()) return s;
  *torn += static_cast<size_t>(std::count(whole.begin(), whole.end(), false));
  return {};
}

Result<Snapshot> TelemetryReader::read() const {
  Snapshot s;
  s.alive = held();
  if (const Status read = readAt(&s.header, sizeof s.header, 0); !read.ok()) return read;
  if (const Status good = check(s.header); !good.ok()) return good;
  for (const Status& read : {readTable(kRailOffset, s.header.railsUsed, &s.rails, &s.torn),
                             readTable(kCommOffset, s.header.commsUsed, &s.comms, &s.torn),
                             readTable(kPathOffset, s.header.pathsUsed, &s.paths, &s.torn)})
    if (!read.ok()) return read;
  std::erase_if(s.comms, [](const CommRecord& r) { return !isUsed(r); });
  keepSensible(&s);
  return s;
}

std::string telemetryFolder() {
  const Setting& setting = *findSetting("POLYRAIL_TELEMETRY_DIR");
  const Result<SettingValue> value = readSetting(setting);
  return value.ok() ? value.value().text : setting.fallback;
}

std::vector<std::string> telemetryFiles(const std::string& folder) {
  std::vector<std::string> files;
  DIR* listing = opendir(folder.c_str());
  if (!listing) return files;
  while (const dirent* entry = readdir(listing))
    if (std::strncmp(entry->d_name, "polyrail.", 9) == 0) files.push_back(folder + "/" + entry->d_name);
  closedir(listing);
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace polyrail::net
