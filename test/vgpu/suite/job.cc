// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/suite/job.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "test/unit/emu-programs/process.h"

namespace polyrail::vgpu {

namespace {

constexpr int kDeadline = 400;  // seconds, for what hangs; a machine that is busy with other tests is slow

std::string fromEnvironment(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

// VGPU_NCCL, or what `make test-nccl` made of Debian's newest.
std::string ncclFolder() {
  const std::string said = fromEnvironment("VGPU_NCCL");
  return said.empty() ? fromEnvironment("POLYRAIL_TOP") + "/build/nccl/sid" : said;
}

// vgpu-perf's own deadline, if a test asks for another.
int deadlineOf(const std::vector<std::string>& options) {
  for (size_t i = 0; i + 1 < options.size(); ++i) {
    if (options[i] == "--deadline") return std::stoi(options[i + 1]);
  }
  return kDeadline;
}

// The plugins alone: NCCL tries "polyrail" as a file's name first, and the command of that name lies beside them.
std::string pluginFolder(const std::string& build) {
  const std::string folder = ownFile("plugins");
  if (std::filesystem::create_directory(folder)) {
    for (const char* name : {"libnccl-net-polyrail.so", "libnccl-tuner-polyrail.so"}) {
      std::filesystem::create_symlink(build + "/" + name, folder + "/" + name);
    }
  }
  return folder;
}

// NCCL's own leaks are not ours to find; it and the virtual CUDA are no plugin.
std::string suppressionFile() {
  const std::string path = ownFile("suppressions");
  std::ofstream(path) << "leak:libnccl.so\nleak:libvgpu-\n";
  return path;
}

// NCCL's log, of all processes.
std::string readLogs(const std::string& stem) {
  std::string text;
  const std::filesystem::path path(stem);
  for (const auto& entry : std::filesystem::directory_iterator(path.parent_path())) {
    if (entry.path().stem() != path.filename()) continue;
    std::ifstream in(entry.path());
    std::ostringstream all;
    all << in.rdbuf();
    text += all.str();
    std::filesystem::remove(entry.path());
  }
  return text;
}

}  // namespace

int ncclVersion() {
  static const int version = [] {
    std::ifstream in(ncclFolder() + "/version");
    int major = 0, minor = 0, patch = 0;
    char dot = 0;
    in >> major >> dot >> minor >> dot >> patch;
    return major * 10000 + minor * 100 + patch;
  }();
  return version;
}

Job& Job::on(Cluster cluster) {
  cluster_ = std::move(cluster);
  return *this;
}

Job& Job::with(const std::string& variable, const std::string& value) {
  environment_.push_back(variable + "=" + value);
  return *this;
}

Job& Job::options(const std::string& words) {
  std::istringstream in(words);
  for (std::string word; in >> word;) options_.push_back(word);
  return *this;
}

Job& Job::builtin() { return with("NCCL_NET_PLUGIN", "none").with("NCCL_NET", "IB").with("NCCL_IB_GID_INDEX", "3"); }

Job& Job::watched(const std::string& mutation) {
  const std::string build = fromEnvironment("POLYRAIL_BUILD");
  with("NCCL_NET_PLUGIN", build + "/vgpu/libvgpu-mutant.so").with("VGPU_MUTATION", mutation);
  return with("VGPU_PLUGIN", build + "/libnccl-net-polyrail.so");
}

Job& Job::faults(const std::string& script) {
  const std::string path = ownFile("faults-" + std::to_string(std::hash<std::string>{}(script)) + ".json");
  std::ofstream(path) << script;
  return with("EMU_FAULTS", path);
}

// NCCL hangs a device of several NICs behind the CPU, too far from the GPU for GPUDirect as it has it by default.
Job& Job::fused() {
  if (cluster_.gpuDirect) with("NCCL_NET_GDR_LEVEL", "SYS");
  return with("NCCL_NET_FORCE_MERGE", railNames(cluster_));
}

Outcome Job::run() const {
  static int runs = 0;
  const std::string build = fromEnvironment("POLYRAIL_BUILD");
  const std::string log = ownFile("log-" + std::to_string(++runs));
  std::vector<std::string> command = {build + "/vgpu/vgpu-perf",
                                      collective_,
                                      "--nodes",
                                      std::to_string(cluster_.nodes),
                                      "--ranks",
                                      std::to_string(cluster_.gpus),
                                      "--deadline",
                                      std::to_string(kDeadline)};
  command.insert(command.end(), options_.begin(), options_.end());
  std::vector<std::string> environment = {
      "LD_LIBRARY_PATH=" + ncclFolder() + ":" + build + "/vgpu:" + build + "/emu:" + pluginFolder(build),
      "EMU_FABRIC=" + fabricFile(cluster_),
      "EMU_SESSION=" + log,
      "NCCL_TOPO_FILE=" + topologyFile(cluster_),
      "NCCL_SOCKET_IFNAME=lo",
      "NCCL_NET_PLUGIN=polyrail",
      "NCCL_TUNER_PLUGIN=none",
      "NCCL_GIN_TYPE=-1",
      "LSAN_OPTIONS=print_suppressions=0:suppressions=" + suppressionFile(),  // of a build with ASAN=1
      "VGPU_GPUDIRECT=" + std::to_string(cluster_.gpuDirect),
      "VGPU_SM=" + std::to_string(cluster_.capability),
      "VGPU_DEVICES=" + std::to_string(cluster_.gpus),
      "VGPU_TRACE=1",
      "NCCL_PAT_ENABLE=0",  // the interpreter does not run PAT
      "NCCL_DEBUG=INFO",
      "NCCL_DEBUG_SUBSYS=INIT,ENV,NET,TUNING,GRAPH,COLL",
      "NCCL_DEBUG_FILE=" + log + ".%p"};
  environment.insert(environment.end(), environment_.begin(), environment_.end());
  const auto start = std::chrono::steady_clock::now();
  emu::Process process(command, environment);
  Outcome outcome;
  outcome.status = process.wait(deadlineOf(options_) + 20);
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  outcome.text = process.output() + readLogs(log);
  const size_t cpu = outcome.text.find("# vgpu cpu seconds ");
  if (cpu != std::string::npos) outcome.cpuSeconds = atof(outcome.text.c_str() + cpu + 19);
  return outcome;
}

}  // namespace polyrail::vgpu
