// SPDX-License-Identifier: Apache-2.0
#include "cli/read/reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/read/line_source.h"
#include "cli/read/text_reader.h"

namespace polyrail {

void RunSink::onRow(const Run&, const Row&, const RowText&) {}
void RunSink::onChoice(const Run&, const LoggedChoice&) {}
void RunSink::onRunEnd(Run&&) {}

namespace {

using read::LineSource;

struct Magic {
  std::string_view bytes;
  const char* what;
};
constexpr Magic kPacked[] = {
    {"\x1f\x8b", "compressed with gzip: unpack it first (zcat FILE | polyrail read -)"},
    {"\x28\xb5\x2f\xfd", "compressed with zstd: unpack it first (zstdcat FILE | polyrail read -)"},
    {"\xfd"
     "7zXZ",
     "compressed with xz: unpack it first (xzcat FILE | polyrail read -)"},
    {"BZh", "compressed with bzip2: unpack it first (bzcat FILE | polyrail read -)"},
    {"PK\x03\x04", "a zip archive: unpack it first"},
    {"\xff\xfe", "UTF-16 text: convert it first (iconv -f UTF-16 -t UTF-8 FILE | polyrail read -)"},
    {"\xfe\xff", "UTF-16 text: convert it first (iconv -f UTF-16 -t UTF-8 FILE | polyrail read -)"},
    {"SQLite format 3", "a database: polyrail learn --store reads it"},
};

const char* packedAs(std::string_view head) {
  for (const Magic& m : kPacked)
    if (head.substr(0, m.bytes.size()) == m.bytes) return m.what;
  return nullptr;
}

ReadSummary readSource(LineSource& source, const std::string& name, RunSink& sink) {
  ReadSummary summary;
  const std::string_view head = source.peek();
  if (head.empty()) {
    summary.reason = "the file is empty";
    return summary;
  }
  if (const char* what = packedAs(head)) {
    summary.reason = what;
    return summary;
  }
  read::TextReader reader(sink, name);
  read::Line line;
  while (source.next(line)) reader.take(line);
  reader.finish();
  summary = {source.bytes(), source.lines(), reader.rows(), reader.runs(), {}};
  if (summary.rows == 0) summary.reason = reader.reason();
  return summary;
}

class Descriptor {
 public:
  explicit Descriptor(const std::string& path)
      : fd_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~Descriptor() {
    if (fd_ > STDERR_FILENO) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

Status failed(const std::string& path, int error) {
  return Status::error(fmt::format("{}: {}", path, std::strerror(error)));
}

}  // namespace

Result<ReadSummary> readRuns(const std::string& path, RunSink& sink, const ReadOptions& options) {
  const Descriptor file(path);
  if (file.get() < 0) return failed(path, errno);
  struct stat about;
  if (::fstat(file.get(), &about) != 0) return failed(path, errno);
  if (S_ISDIR(about.st_mode)) return Status::error(fmt::format("{}: is a directory: name the files in it", path));
  LineSource source(file.get());
  source.progress = options.progress;
  ReadSummary summary = readSource(source, path, sink);
  if (source.error() != 0) return failed(path, source.error());
  return summary;
}

ReadSummary readRunsFromText(std::string_view text, const std::string& name, RunSink& sink) {
  LineSource source(text);
  return readSource(source, name, sink);
}

}  // namespace polyrail
