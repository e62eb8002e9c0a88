// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/driver/census.h"

#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

extern "C" size_t vgpuLiveRegions();
extern "C" size_t vgpuLiveStreams();

namespace polyrail::vgpu {

namespace {

size_t entries(const char* folder) {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

size_t residentKiB() {
  size_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE)) / 1024;
}

// What the emulator says, when it is there.
std::string emulator(const char* question) {
  void* library = dlopen("libibverbs.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!library) return "";
  auto* ask = reinterpret_cast<int (*)(char*, size_t)>(dlsym(library, question));
  char text[512] = "";
  if (ask) ask(text, sizeof text);
  dlclose(library);
  return text;
}

size_t threadsNamed(const std::string& name) {
  size_t count = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string found;
    std::ifstream(task.path() / "comm") >> found;
    count += found == name;
  }
  return count;
}

bool mapped(const std::string& part) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(part) != std::string::npos) return true;
  }
  return false;
}

bool sameButForMemory(const Census& a, const Census& b) {
  return a.threads == b.threads && a.descriptors == b.descriptors && a.regions == b.regions &&
         a.streams == b.streams && a.verbs == b.verbs && a.pluginThreads == b.pluginThreads &&
         a.pluginMapped == b.pluginMapped;
}

bool atMost(const Census& c, const Census& most) {
  return c.threads <= most.threads && c.descriptors <= most.descriptors && c.regions <= most.regions &&
         c.streams <= most.streams;
}

Census takeCensus() {
  return {entries("/proc/self/task"),
          entries("/proc/self/fd"),
          residentKiB(),
          vgpuLiveRegions(),
          vgpuLiveStreams(),
          emulator("emu_objects"),
          threadsNamed("polyrail-ctl"),
          mapped("libnccl-net-polyrail.so")};
}

}  // namespace

Census settledCensus(const Census* most) {
  constexpr int kTries = 100, kAlike = 3;
  Census before = takeCensus();
  for (int tries = 0, alike = 1; tries < kTries && alike < kAlike; ++tries) {
    usleep(100'000);
    const Census now = takeCensus();
    const bool done = sameButForMemory(now, before) && (!most || atMost(now, *most));
    alike = done ? alike + 1 : 1;
    before = now;
  }
  return before;
}

std::string traffic() { return emulator("emu_traffic"); }

std::string textOf(const Census& c) {
  return "threads " + std::to_string(c.threads) + " descriptors " + std::to_string(c.descriptors) + " KiB " +
         std::to_string(c.memoryKiB) + " regions " + std::to_string(c.regions) + " streams " +
         std::to_string(c.streams) + " of the plugin's " + std::to_string(c.pluginThreads) + " plugin " +
         (c.pluginMapped ? "mapped" : "gone") + " verbs [" + c.verbs + "]";
}

}  // namespace polyrail::vgpu
