// SPDX-License-Identifier: Apache-2.0
#include "cli/perf/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdarg>
#include <utility>

namespace polyrail::cli {
namespace {

constexpr char kSymbol[] = "ncclNetPlugin_v12";
constexpr const char* kResultNames[] = {"ncclSuccess",       "ncclUnhandledCudaError", "ncclSystemError",
                                        "ncclInternalError", "ncclInvalidArgument",    "ncclInvalidUsage",
                                        "ncclRemoteError",   "ncclInProgress",         "ncclTimeout"};

void print(const char* format, va_list arguments) {
  char line[1200];
  std::vsnprintf(line, sizeof line, format, arguments);
  fmt::print(stderr, "{}\n", line);
}

[[gnu::format(printf, 5, 6)]] void say(nccl::LogLevel, unsigned long, const char*, int, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print(format, arguments);
  va_end(arguments);
}

[[gnu::format(printf, 5, 6)]] void sayWarnings(nccl::LogLevel level, unsigned long, const char*, int,
                                               const char* format, ...) {
  if (level != nccl::LogLevel::kWarn) return;
  va_list arguments;
  va_start(arguments, format);
  print(format, arguments);
  va_end(arguments);
}

// NCCL's own when no profiler wants net events: it writes no handle.
nccl::Result noProfile(void**, nccl::NetEvent, void*, int64_t, void*) { return nccl::Result::kSuccess; }

Status failed(const char* call, nccl::Result result) {
  return Status::error(fmt::format("the plugin's {} returned {}", call, resultText(result)));
}

}  // namespace

std::string resultText(nccl::Result result) {
  const auto code = static_cast<size_t>(result);
  return fmt::format("{} ({})", code, code < std::size(kResultNames) ? kResultNames[code] : "unknown to NCCL");
}

Result<PerfPlugin> PerfPlugin::load(const std::string& file, bool log) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return Status::error(
        fmt::format("{}; name the plugin by --plugin or put its folder into LD_LIBRARY_PATH", dlerror()));
  const auto* table = static_cast<const nccl::NetV12*>(dlsym(library, kSymbol));
  if (table == nullptr) {
    dlclose(library);
    return Status::error(fmt::format("{} does not export {}", file, kSymbol));
  }
  PerfPlugin plugin(library, table);
  if (const Status s = plugin.start(log); !s.ok()) return s;
  return plugin;
}

PerfPlugin::PerfPlugin(PerfPlugin&& other) noexcept
    : library_(std::exchange(other.library_, nullptr)),
      table_(other.table_),
      context_(other.context_),
      initialised_(std::exchange(other.initialised_, false)),
      devices_(std::move(other.devices_)) {}

PerfPlugin::~PerfPlugin() {
  if (initialised_) table_->finalize(context_);
  if (library_) dlclose(library_);
}

Status PerfPlugin::start(bool log) {
  nccl::NetCommConfig config{nccl::kNetUndefined};
  const nccl::Result result = table_->init(&context_, 1, &config, log ? say : sayWarnings, noProfile);
  if (result != nccl::Result::kSuccess) return failed("init", result);
  initialised_ = true;
  int count = 0;
  if (const nccl::Result r = table_->devices(&count); r != nccl::Result::kSuccess) return failed("devices", r);
  for (int i = 0; i < count; i++) {
    Result<PerfDevice> device = describe(i);
    if (!device.ok()) return device.status();
    devices_.push_back(std::move(device).value());
  }
  return count > 0 ? Status() : Status::error("the plugin has no device; `polyrail rails` says why");
}

Result<PerfDevice> PerfPlugin::describe(int index) const {
  nccl::NetPropertiesV12 p{};
  const nccl::Result result = table_->getProperties(index, &p);
  if (result != nccl::Result::kSuccess) return failed("getProperties", result);
  return PerfDevice{index, p.name ? p.name : "", p.speed, p.ptrSupport, std::max(p.vProps.ndevs, 1)};
}

std::string PerfPlugin::names() const {
  std::string names;
  for (const PerfDevice& d : devices_) names += (names.empty() ? "" : ", ") + d.name;
  return names;
}

Result<std::vector<int>> PerfPlugin::members(const std::string& rails) const {
  std::vector<int> members;
  size_t first = devices_.size();
  if (rails == "all" || CLI::detail::lexical_cast(rails, first)) {
    if (first < 1 || first > devices_.size())
      return Status::error(fmt::format("{} rails are asked for, there are {}: {}", rails, devices_.size(), names()));
    for (size_t i = 0; i < first; i++) members.push_back(static_cast<int>(i));
    return members;
  }
  for (const std::string& name : CLI::detail::split(rails, '+')) {
    const auto found = std::find_if(devices_.begin(), devices_.end(),
                                    [&](auto& d) { return d.name == name || fmt::format("#{}", d.index) == name; });
    if (found == devices_.end())
      return Status::error(fmt::format("there is no device '{}' here, but {}", name, names()));
    members.push_back(found->index);
  }
  return members;
}

Result<PerfDevice> PerfPlugin::choose(const std::string& rails) const {
  const Result<std::vector<int>> chosen = members(rails);
  if (!chosen.ok()) return chosen.status();
  if (chosen.value().size() == 1) return devices_[static_cast<size_t>(chosen.value()[0])];
  return fuse(chosen.value());
}

Result<PerfDevice> PerfPlugin::fuse(const std::vector<int>& members) const {
  if (table_->makeVDevice == nullptr) return Status::error("the plugin fuses no devices");
  if (members.size() > nccl::kNetMaxDevsPerNic)
    return Status::error(fmt::format("{} rails; at most {} make one device, name some by --rails", members.size(),
                                     nccl::kNetMaxDevsPerNic));
  nccl::NetVDevicePropsV12 props{static_cast<int>(members.size()), {}};
  std::copy(members.begin(), members.end(), props.devs);
  int index = -1;
  const nccl::Result result = table_->makeVDevice(&index, &props);
  if (result != nccl::Result::kSuccess) return failed("makeVDevice", result);
  return describe(index);
}

}  // namespace polyrail::cli
