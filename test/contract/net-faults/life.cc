// SPDX-License-Identifier: Apache-2.0
#include "test/contract/net-faults/life.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "test/contract/host/child.h"
#include "test/contract/host/net_alone.h"
#include "test/contract/host/pair_traffic.h"
#include "test/emu/core/calls.h"

namespace polyrail::contract {
namespace {

constexpr std::chrono::milliseconds kPatience{10'000};
constexpr std::chrono::seconds kLimit{60};
constexpr std::string_view kBegin = "-- report --\n";  // after what libraries said

std::string built(const char* file) {
  const char* build = std::getenv("POLYRAIL_BUILD");
  return std::string(build ? build : ".") + "/" + file;
}

// A file without a name, for as long as the process lives.
std::string memoryFile(const std::string& text) {
  const int fd = memfd_create("polyrail-test", 0);
  if (fd < 0 || write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size())) abort();
  return "/proc/self/fd/" + std::to_string(fd);
}

void useFaultyRails(const std::string& faults) {
  setenv("NCCL_IBVERBS_LIB", built("emu/libibverbs.so.1").c_str(), 1);
  setenv("NCCL_SOCKET_IFNAME", "lo", 1);
  setenv("NCCL_NET_MERGE_LEVEL", "SYS", 1);
  setenv("EMU_SESSION", ("contract-net-faults-" + std::to_string(getpid())).c_str(), 1);
  setenv("EMU_FAULTS", memoryFile("{\"faults\": " + faults + "}").c_str(), 1);
}

// Makes what was received visible to the GPU, as NCCL does before it tells it.
bool flushed(NetPair& pair, PairTraffic& traffic, Faults& faults) {
  void *data = traffic.to().data(), *key = traffic.to().mhandle(), *request = nullptr;
  int size = 1;
  nccl::Result result = pair.calls().iflush(pair.recv(), 1, &data, &size, &key, &request);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (int done = 0; result == nccl::Result::kSuccess && request && !done;) {
    result = pair.calls().test(request, &done, nullptr);
    if (std::chrono::steady_clock::now() > end) return faults.add("a flush does not end"), false;
  }
  if (result != nccl::Result::kSuccess) faults.add(fmt::format("flush returned {}", static_cast<int>(result)));
  return result == nccl::Result::kSuccess;
}

void moveData(NetPair& pair, Faults& faults) {
  for (const Place place : {Place::kHost, Place::kGpuDmaBuf}) {
    PairTraffic traffic(pair, place, 256 << 10);
    bool good = traffic.good();
    for (const size_t size : {1u, 4096u, 100'000u, 256u << 10})
      good =
          good && traffic.exchange(size, 5, kPatience) && (place == Place::kHost || flushed(pair, traffic, faults));
    for (Memory* memory : {&traffic.from(), &traffic.to()}) {
      if (!memory->guardsIntact()) faults.add("wrote outside a buffer");
      if (memory->registered() && !memory->deregister()) faults.add("deregMr failed");
    }
    if (!good) return;
  }
}

void connection(const CaseContext& context, Faults& faults, std::string* said, size_t* warnings) {
  Alone alone(context, faults);
  if (alone.up()) {
    NetPair pair(alone.host(), alone.context(), 0, kPatience, faults, true);
    if (pair.up()) moveData(pair, faults);
    pair.close();
  }
  if (!alone.loaded()) return;
  *warnings = alone.host().log().count(nccl::LogLevel::kWarn);
  for (const LogLine& line : alone.host().log().lines())
    if (line.level == nccl::LogLevel::kWarn) *said = line.text;
}

// What the emulator of this process knows; it stays loaded.
template <typename... A>
int asked(const char* symbol, A... arguments) {
  void* verbs = dlopen(built("emu/libibverbs.so.1").c_str(), RTLD_NOW | RTLD_NOLOAD);
  auto* function = verbs ? reinterpret_cast<int (*)(A...)>(dlsym(verbs, symbol)) : nullptr;
  return function ? function(arguments...) : -1;
}

std::string liveHere(const std::string& script) {
  useFaultyRails(script);
  CaseContext context;
  context.plugin = built("libnccl-net-polyrail.so");
  context.abi = 8;  // the newest that leaves fusion to the plugin: a NIC that fails is not missed by NCCL
  Faults faults;
  std::string said;
  size_t warnings = 0;
  connection(context, faults, &said, &warnings);
  char text[256] = "";
  const int objects = asked<char*, size_t>("emu_objects", text, sizeof text);
  std::string report = fmt::format("{}{} {} {}\n{}\n{}\n", kBegin, objects,
                                   asked<char*, size_t>("emu_violations", nullptr, 0), warnings, text, said);
  for (const std::string_view name : emu::kCallNames)
    report += fmt::format("{} {}\n", name, asked<const char*>("emu_calls", std::string(name).c_str()));
  return report + "faults\n" + faults.text();
}

}  // namespace

LifeEnd live(const std::string& faults) {
  const ChildResult child = runInFork([&] { return liveHere(faults); }, kLimit);
  LifeEnd end;
  if (child.timedOut) end.crash = "it hung";
  if (!child.timedOut && child.status != 0) end.crash = fmt::format("status {}: {}", child.status, child.output);
  const size_t begin = child.output.find(kBegin);
  if (begin == std::string::npos) end.crash += "it told nothing: " + child.output;
  if (!end.crash.empty()) return end;
  std::istringstream lines(child.output.substr(begin + kBegin.size()));
  lines >> end.objects >> end.violations >> end.warnings;
  lines.ignore(1);
  std::getline(lines, end.left);
  std::getline(lines, end.said);
  for (std::string name; lines >> name && name != "faults";) lines >> end.calls[name];
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) end.faults += line + "\n";
  end.whole = end.faults.empty();
  return end;
}

}  // namespace polyrail::contract
