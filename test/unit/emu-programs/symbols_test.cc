// SPDX-License-Identifier: Apache-2.0
// The library has every symbol, at its version, that NCCL's own transport looks up and that the programs and driver
// libraries installed here bind to.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <regex>
#include <sstream>

#include "test/unit/emu-programs/process.h"

namespace polyrail::emu {
namespace {

struct Symbol {
  const char *name, *version;
};

// NCCL 2.30.7, src/misc/ibvsymbols.cc: the names and versions it asks dlvsym for.
constexpr Symbol kNccl[] = {
    {"ibv_get_device_list", "IBVERBS_1.1"},   {"ibv_free_device_list", "IBVERBS_1.1"},
    {"ibv_get_device_name", "IBVERBS_1.1"},   {"ibv_open_device", "IBVERBS_1.1"},
    {"ibv_close_device", "IBVERBS_1.1"},      {"ibv_get_async_event", "IBVERBS_1.1"},
    {"ibv_ack_async_event", "IBVERBS_1.1"},   {"ibv_query_device", "IBVERBS_1.1"},
    {"ibv_query_port", "IBVERBS_1.1"},        {"ibv_query_gid", "IBVERBS_1.1"},
    {"ibv_query_qp", "IBVERBS_1.1"},          {"ibv_alloc_pd", "IBVERBS_1.1"},
    {"ibv_dealloc_pd", "IBVERBS_1.1"},        {"ibv_reg_mr", "IBVERBS_1.1"},
    {"ibv_reg_mr_iova2", "IBVERBS_1.8"},      {"ibv_reg_dmabuf_mr", "IBVERBS_1.12"},
    {"ibv_dereg_mr", "IBVERBS_1.1"},          {"ibv_create_cq", "IBVERBS_1.1"},
    {"ibv_destroy_cq", "IBVERBS_1.1"},        {"ibv_create_qp", "IBVERBS_1.1"},
    {"ibv_modify_qp", "IBVERBS_1.1"},         {"ibv_destroy_qp", "IBVERBS_1.1"},
    {"ibv_fork_init", "IBVERBS_1.1"},         {"ibv_event_type_str", "IBVERBS_1.1"},
    {"ibv_query_ece", "IBVERBS_1.10"},        {"ibv_set_ece", "IBVERBS_1.10"},
    {"ibv_query_port_speed", "IBVERBS_1.16"},
};

class Symbols : public ::testing::Test {
 protected:
  Symbols()
      : library_(dlopen((std::string(std::getenv("POLYRAIL_BUILD")) + "/emu/libibverbs.so.1").c_str(),
                        RTLD_NOW | RTLD_LOCAL)) {}
  void* library_;
};

TEST_F(Symbols, ThoseNcclLooksUp) {
  ASSERT_NE(library_, nullptr) << dlerror();
  for (const Symbol& s : kNccl) EXPECT_NE(dlvsym(library_, s.name, s.version), nullptr) << s.name << s.version;
  EXPECT_EQ(dlvsym(library_, "ibv_no_such_call", "IBVERBS_1.1"), nullptr);
}

TEST_F(Symbols, ThoseInstalledFilesBindTo) {
  ASSERT_NE(library_, nullptr) << dlerror();
  if (findProgram("nm").empty()) GTEST_SKIP() << "nm is not installed (package binutils)";
  const std::string libraries = "/usr/lib/x86_64-linux-gnu/";
  size_t found = 0;
  for (const std::string& file :
       {findProgram("ibv_devinfo"), findProgram("ibv_rc_pingpong"), findProgram("ibv_srq_pingpong"),
        findProgram("ib_write_bw"), findProgram("ib_send_lat"), findProgram("ib_read_bw"), libraries + "libmlx5.so.1",
        libraries + "libefa.so.1", libraries + "librdmacm.so.1"}) {
    if (file.empty() || access(file.c_str(), R_OK) != 0) continue;
    Process nm({"nm", "-D", "--undefined-only", file}, {});
    ASSERT_EQ(nm.wait(60), 0) << nm.output();
    std::istringstream lines(nm.output());
    const std::regex wanted(" U (\\w+)@+(IBVERBS_\\w[\\w.]*)");
    for (std::string line; std::getline(lines, line);) {
      std::smatch m;
      if (!std::regex_search(line, m, wanted)) continue;
      EXPECT_NE(dlvsym(library_, m[1].str().c_str(), m[2].str().c_str()), nullptr) << m[0] << " of " << file;
      found++;
    }
  }
  if (found == 0) GTEST_SKIP() << "neither ibverbs-utils nor perftest is installed";
}

}  // namespace
}  // namespace polyrail::emu
