// SPDX-License-Identifier: Apache-2.0
// The net plugin that ships, called as NCCL does, on emulated rails in real time: every habit of NCCL under every ABI
// version on one rail, and those that move data again on two rails that are one device.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "test/contract/host/net_cases.h"

namespace polyrail::contract {
namespace {

std::string built(const char* file) {
  const char* build = std::getenv("POLYRAIL_BUILD");
  return std::string(build ? build : ".") + "/" + file;
}

std::string letters(std::string name) {
  for (char& c : name)
    if (!isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

// Each case has NICs of its own: it does not see those of a program that runs beside it.
void useEmulatedRails(const char* mergeLevel) {
  setenv("NCCL_IBVERBS_LIB", built("emu/libibverbs.so.1").c_str(), 1);
  setenv("NCCL_SOCKET_IFNAME", "lo", 1);
  setenv("EMU_SESSION", ("contract-net-plugin-" + std::to_string(getpid())).c_str(), 1);
  if (mergeLevel)
    setenv("NCCL_NET_MERGE_LEVEL", mergeLevel, 1);
  else
    unsetenv("NCCL_NET_MERGE_LEVEL");
}

// All that may be skipped: emulated hosts have no peermem, so GPU memory goes by DMA-BUF only, which is a case of its
// own; and NCCL below 2.24 cannot ask for fusion.
bool mustSkip(const std::string& name, int abi) {
  return name == "gpu-memory" || (name == "virtual-devices" && abi < 9);
}

void judge(const NetCase& netCase, int abi, unsigned share) {
  const CaseResult result =
      runCase(netCase, {.plugin = built("libnccl-net-polyrail.so"), .abi = abi, .share = share});
  const CaseVerdict wanted = mustSkip(netCase.name, abi) ? CaseVerdict::kSkipped : CaseVerdict::kPassed;
  ASSERT_EQ(result.verdict, wanted) << result.text << result.said;
  if (wanted == CaseVerdict::kSkipped) GTEST_SKIP() << result.text;
}

class NetPlugin : public testing::TestWithParam<std::tuple<const NetCase*, int>> {};
INSTANTIATE_TEST_SUITE_P(OneRail, NetPlugin,
                         testing::Combine(testing::ValuesIn(allNetCases()), testing::Range(6, 13)),
                         [](const auto& run) {
                           return letters(std::get<0>(run.param)->name) + "_v" +
                                  std::to_string(std::get<1>(run.param));
                         });

TEST_P(NetPlugin, KeepsTheContract) {
  useEmulatedRails(nullptr);
  const auto& [netCase, abi] = GetParam();
  judge(*netCase, abi, abi == 12 ? 1u : 4u);
}

// ABI v8 cannot ask for fusion, so this is also our own.
class TwoRails : public testing::TestWithParam<const NetCase*> {};
INSTANTIATE_TEST_SUITE_P(Fused, TwoRails, testing::ValuesIn(allNetCases()),
                         [](const auto& run) { return letters(run.param->name); });

TEST_P(TwoRails, KeepTheContract) {
  useEmulatedRails("SYS");
  judge(*GetParam(), 8, 2);
}

}  // namespace
}  // namespace polyrail::contract
