// SPDX-License-Identifier: Apache-2.0
#include "cli/read/reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/read/json_reader.h"
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
constexpr Magic kNotForUs[] = {
    {"\x1f\x8b", "compressed with gzip: unpack it first (zcat FILE | polyrail read -)"},
    {"\x28\xb5\x2f\xfd", "compressed with zstd: unpack it first (zstdcat FILE | polyrail read -)"},
    {"\xfd"
     "7zXZ",
     "compressed with xz: unpack it first (xzcat FILE | polyrail read -)"},
    {"BZh", "compressed with bzip2: unpack it first (bzcat FILE | polyrail read -)"},
    {"PK\x03\x04", "a zip archive: unpack it first"},
    {"\xff\xfe", "UTF-16 text: convert it first (iconv -f UTF-16 -t UTF-8 FILE | polyrail read -)"},
    {"\xfe\xff", "UTF-16 text: convert it first (iconv -f UTF-16 -t UTF-8 FILE | polyrail read -)"},
    {"SQLite format 3", "a database, not nccl-tests output"},
    {"file\tline\tcoll_header\tnccl\t", "rows that polyrail read --tsv printed: name the logs that they are from"},
};

const char* notForUs(std::string_view head) {
  for (const Magic& m : kNotForUs)
    if (head.substr(0, m.bytes.size()) == m.bytes) return m.what;
  return nullptr;
}

// A log may begin with "[1,0]<stdout>:" or "{": JSON goes on with a name, an object or its end.
bool looksLikeJson(std::string_view head) {
  const size_t open = head.find_first_not_of(" \t\r\n");
  if (open == std::string_view::npos) return false;
  const size_t next = head.find_first_not_of(" \t\r\n", open + 1);
  const char after = next == std::string_view::npos ? '\0' : head[next];
  return (head[open] == '{' && (after == '"' || after == '}')) ||
         (head[open] == '[' && (after == '{' || after == ']'));
}

// Reads one source to its end: text, JSON, or text with JSON in it.
class SourceReader {
 public:
  SourceReader(LineSource& source, const std::string& name, RunSink& sink)
      : source_(source), name_(name), sink_(sink), text_(sink, name) {}

  ReadSummary read() {
    while (looksLikeJson(source_.peek())) takeJson({});
    read::Line line;
    while (source_.next(line)) {
      const size_t json = text_.take(line);
      if (json == std::string_view::npos) continue;
      source_.unread(line, json);
      takeJson(text_.handOver());
    }
    text_.finish();
    ReadSummary summary{source_.bytes(), source_.lines(), rows_ + text_.rows(), runs_ + text_.runs(), {}};
    if (summary.rows == 0) summary.reason = reason();
    return summary;
  }

 private:
  void takeJson(read::RunFacts base) {
    base.run.file = name_;
    const read::JsonSummary json = readJson(source_, std::move(base), sink_);
    sawJson_ = true;
    rows_ += json.rows;
    runs_ += json.runs;
    if (problem_.empty()) problem_ = json.problem;
  }

  std::string reason() const {
    if (!problem_.empty()) return fmt::format("no rows: {}", problem_);
    if (sawJson_ && runs_ == 0) return "JSON, but not of nccl-tests: it has neither results nor a benchmark";
    return text_.reason();
  }

  LineSource& source_;
  const std::string& name_;
  RunSink& sink_;
  read::TextReader text_;
  uint64_t rows_ = 0, runs_ = 0;
  bool sawJson_ = false;
  std::string problem_;
};

ReadSummary readSource(LineSource& source, const std::string& name, RunSink& sink) {
  ReadSummary summary;
  const std::string_view head = source.peek();
  if (head.empty()) {
    summary.reason = "the file is empty";
    return summary;
  }
  if (const char* what = notForUs(head)) {
    summary.reason = what;
    return summary;
  }
  source.skipMark();
  return SourceReader(source, name, sink).read();
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
