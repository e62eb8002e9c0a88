// SPDX-License-Identifier: Apache-2.0
// The plugins of a build with ASAN=1 (AddressSanitizer, leaks, undefined behaviour) under real NCCL, which itself is
// not instrumented: the sanitizer's runtime is loaded first.
#include <cstdlib>
#include <filesystem>
#include <regex>

#include "test/unit/emu-programs/process.h"
#include "test/vgpu/suite/expect.h"

using namespace polyrail::vgpu;
namespace emu = polyrail::emu;

namespace {

std::string sanitized(const std::string& name) {
  const char* top = getenv("POLYRAIL_TOP");
  return std::string(top ? top : "") + "/build/asan/libnccl-" + name + "-polyrail.so";
}

// Path of the runtime that the plugin was linked with; empty when there is none.
std::string runtimeOf(const std::string& plugin) {
  emu::Process ldd({"ldd", plugin}, {});
  ldd.wait(30);
  std::smatch found;
  const std::string text = ldd.output();
  return std::regex_search(text, found, std::regex("(/\\S*libasan\\S*)")) ? found[1].str() : "";
}

}  // namespace

TEST(NcclSanitized, PluginsAreClean) {
  const std::string runtime = runtimeOf(sanitized("net"));
  if (runtime.empty() || !std::filesystem::exists(sanitized("tuner"))) {
    GTEST_SKIP() << "no build/asan: `make ASAN=1 net tuner` first";
  }
  for (const char* options : {"-b 64 -e 1M -f 128", "-b 64K -e 64K --in-place 0 --cycles 6 --abort 1 --split 1",
                              "-b 8M -e 8M -n 0 --in-place 0 --cycles 6 --abort 2 --split 1"}) {
    SCOPED_TRACE(options);
    Job job("all_reduce");
    job.on({.rates = {"0", "0"}}).with("LD_PRELOAD", runtime).with("NCCL_NET_PLUGIN", sanitized("net"));
    job.with("NCCL_TUNER_PLUGIN", sanitized("tuner")).with("POLYRAIL_POLICY", "none").options(options);
    if (ncclVersion() >= 22300) job.fused();
    const Outcome outcome = job.run();
    expectRight(outcome);
    EXPECT_FALSE(outcome.says("Sanitizer") || outcome.says("runtime error")) << outcome.text;
  }
}
