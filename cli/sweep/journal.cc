// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <utility>

namespace polyrail::sweep {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr const char* kFormatKey = "polyrail_sweep_journal";

std::string pathOf(const std::string& folder) { return folder + "/journal.jsonl"; }

Status failure(const std::string& folder, const std::string& why) {
  return Status::error(pathOf(folder) + ": " + why);
}

Json number(double value) { return std::isnan(value) ? Json() : Json(value); }
double number(const Json& value) { return value.is_number() ? value.get<double>() : NAN; }

Json toJson(const Entry& e) {
  Json times = Json::array();
  for (const Sample& s : e.times) times.push_back({number(s[0]), number(s[1])});
  Json line = {{"run", e.run}, {"outcome", e.outcome}, {"log", e.log}, {"seconds", e.seconds}};
  if (!e.reason.empty()) line["reason"] = e.reason;
  if (!e.times.empty()) line["times"] = times;
  return line;
}

Entry fromJson(const Json& line) {
  Entry e{line.at("run"), line.at("outcome"), line.value("reason", ""), line.at("log"), line.at("seconds"), {}};
  if (line.contains("times"))
    for (const Json& t : line.at("times")) e.times.push_back({number(t.at(0)), number(t.at(1))});
  return e;
}

// The first key in which the plans differ; "" for none.
std::string difference(Json a, Json b) {
  for (Json* plan : {&a, &b}) plan->erase("timeout"), plan->erase("attempts");
  for (const auto& [key, value] : a.items())
    if (!b.contains(key) || b[key] != value) return key;
  return a == b ? "" : "its keys";
}

std::string readAll(int file) {
  std::string text;
  char buffer[65536];
  for (ssize_t n; (n = read(file, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(n));
  return text;
}

}  // namespace

Journal::Journal(Journal&& other) noexcept
    : folder_(std::move(other.folder_)),
      file_(std::exchange(other.file_, -1)),
      count_(other.count_),
      known_(std::move(other.known_)) {}

Journal::~Journal() {
  if (file_ >= 0) close(file_);
}

Result<Journal> Journal::open(const std::string& folder, const Json& plan) {
  std::error_code error;
  for (const char* part : {"logs", "failed"}) fs::create_directories(folder + "/" + part, error);
  if (error) return Status::error(folder + ": " + error.message());
  const int file = ::open(pathOf(folder).c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return failure(folder, std::strerror(errno));
  Journal journal(folder, file);
  if (flock(file, LOCK_EX | LOCK_NB) != 0) return failure(folder, "another polyrail sweep is at work in this folder");
  std::string text = readAll(file);
  const size_t whole = text.rfind('\n') == text.npos ? 0 : text.rfind('\n') + 1;
  if (whole < text.size() && ftruncate(file, static_cast<off_t>(whole)) != 0)
    return failure(folder, std::strerror(errno));
  text.resize(whole);
  const Status s = text.empty() ? journal.append({{kFormatKey, kFormat}, {"plan", plan}}) : journal.load(text, plan);
  if (!s.ok()) return s;
  return journal;
}

Status Journal::load(const std::string& text, const Json& plan) {
  size_t number = 0;
  for (size_t at = 0, end; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    const Json line = Json::parse(text.begin() + static_cast<ptrdiff_t>(at),
                                  text.begin() + static_cast<ptrdiff_t>(end), nullptr, false);
    number++;
    try {
      if (number > 1) {
        remember(line);
      } else if (line.at(kFormatKey) != kFormat) {
        return failure(folder_, "a format that this polyrail does not know");
      } else if (const std::string key = difference(line.at("plan"), plan); !key.empty()) {
        return failure(folder_,
                       fmt::format("the folder holds a sweep with another plan ({} differs); give a new folder, "
                                   "or the old plan to go on",
                                   key));
      }
    } catch (const Json::exception&) {
      return failure(folder_, fmt::format("line {} is not one of a sweep's journal", number));
    }
  }
  return {};
}

void Journal::remember(const Json& line) {
  Entry entry = fromJson(line);
  count_++;
  if (entry.outcome == "ok" && !fs::exists(folder_ + "/" + entry.log)) return;
  known_[entry.run].push_back(std::move(entry));
}

std::optional<Entry> Journal::recall(const std::string& run) {
  const auto found = known_.find(run);
  if (found == known_.end() || found->second.empty()) return std::nullopt;
  Entry entry = std::move(found->second.front());
  found->second.pop_front();
  return entry;
}

Status Journal::add(const Entry& entry) {
  count_++;
  return append(toJson(entry));
}

Status Journal::append(const Json& line) {
  const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (write(file_, text.data(), text.size()) != static_cast<ssize_t>(text.size()) || fsync(file_) != 0)
    return failure(folder_, std::strerror(errno));
  return {};
}

}  // namespace polyrail::sweep
