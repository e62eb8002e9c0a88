// SPDX-License-Identifier: Apache-2.0
#include "cli/store/gather.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "cli/read/reader.h"
#include "cli/store/store.h"

namespace polyrail::cli {
namespace {

namespace fs = std::filesystem;

bool hidden(const fs::path& path) { return path.filename().string().rfind('.', 0) == 0; }

Status listFolder(const std::string& folder, std::vector<std::string>& files) {
  std::error_code error;
  std::vector<std::string> found;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (hidden(at->path())) {
      at.disable_recursion_pending();
    } else if (at->is_regular_file()) {
      found.push_back(at->path().string());
    }
  }
  if (error) return Status::error(fmt::format("{}: {}", folder, error.message()));
  std::sort(found.begin(), found.end());
  files.insert(files.end(), found.begin(), found.end());
  return Status();
}

class Gatherer {
 public:
  explicit Gatherer(const GatherOptions& options) : options_(options) {}

  Status all(const std::vector<std::string>& paths) {
    if (const Status opened = openKept(); !opened.ok()) return opened;
    std::vector<std::string> files;
    for (const std::string& path : paths) {
      const Status listed = fs::is_directory(path) ? listFolder(path, files) : (files.push_back(path), Status());
      if (!listed.ok()) return listed;
    }
    for (size_t i = 0; i < files.size(); i++) {
      const bool isStore = looksLikeDatabase(files[i]);
      const Status taken = isStore ? takeStore(files[i]) : takeFile(files[i]);
      if (!taken.ok()) return taken;
      if (options_.progress) options_.progress(i + 1, files.size());
    }
    for (LabelledRun& run : result.runs) complete(run.run), result.rows += run.run.rows.size();
    return Status();
  }

  Gathered result;

 private:
  Status openKept() {
    if (options_.store.empty()) return Status();
    Result<Store> opened = Store::open(options_.store, OpenMode::kCreate);
    if (!opened.ok()) return opened.status();
    kept_.emplace(std::move(opened).value());
    return take(*kept_);
  }

  Status takeStore(const std::string& path) {
    std::error_code ignored;
    if (kept_ && fs::equivalent(path, options_.store, ignored)) return Status();
    Result<Store> store = Store::open(path, OpenMode::kRead);
    return store.ok() ? take(store.value()) : store.status();
  }

  Status take(Store& store) {
    const Result<std::vector<StoredFile>> files = store.files();
    if (!files.ok()) return files.status();
    std::set<std::string> fresh;
    for (const StoredFile& file : files.value())
      if (seen_.insert(file.sha256).second) {
        fresh.insert(file.sha256);
        result.files.push_back(fs::path(file.name).filename().string());
      }
    Result<std::vector<LabelledRun>> runs = store.runs();
    if (!runs.ok()) return runs.status();
    for (LabelledRun& run : runs.value())
      if (fresh.count(run.digest)) result.runs.push_back(std::move(run));
    return Status();
  }

  Status takeFile(const std::string& path) {
    const Result<std::string> digest = fileDigest(path);
    if (!digest.ok()) return digest.status();
    if (!seen_.insert(digest.value()).second) {
      result.notes.push_back(path + ": its bytes are known already; counted once");
      return Status();
    }
    Result<CollectedRuns> read = collectRuns(path);
    if (!read.ok()) return read.status();
    if (read.value().summary.rows == 0 && !describesDefault(read.value().runs)) {
      result.notes.push_back(fmt::format("{}: {}", path, read.value().summary.reason));
      return Status();
    }
    return keep(path, digest.value(), std::move(read.value().runs));
  }

  // A log without rows still says what NCCL does by itself.
  static bool describesDefault(const std::vector<Run>& runs) {
    return std::any_of(runs.begin(), runs.end(), [](const Run& r) { return r.costTable || !r.choices.empty(); });
  }

  Status keep(const std::string& path, const std::string& digest, std::vector<Run> runs) {
    if (kept_) {
      const Result<bool> added = kept_->add({path, digest, options_.addedAt, options_.label}, runs);
      if (!added.ok()) return added.status();
    }
    result.files.push_back(fs::path(path).filename().string());
    for (Run& run : runs) result.runs.push_back({std::move(run), options_.label, digest});
    return Status();
  }

  void complete(Run& run) const {
    if (!run.ranks && options_.ranks) run.ranks = options_.ranks;
    if (!run.nodes && options_.nodes) run.nodes = options_.nodes;
    if (run.gpu.empty()) run.gpu = options_.gpu;
    if (run.ncclVersion.empty()) run.ncclVersion = options_.ncclVersion;
  }

  const GatherOptions& options_;
  std::optional<Store> kept_;
  std::set<std::string> seen_;  // digests
};

}  // namespace

Result<Gathered> gatherRuns(const std::vector<std::string>& paths, const GatherOptions& options) {
  Gatherer gatherer(options);
  const Status done = gatherer.all(paths);
  if (!done.ok()) return done;
  return std::move(gatherer.result);
}

}  // namespace polyrail::cli
