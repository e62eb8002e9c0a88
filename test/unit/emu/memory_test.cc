// SPDX-License-Identifier: Apache-2.0
// Memory: DMA-BUF, sealed buffers, and that no loss costs a byte.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "test/unit/emu/pair.h"

namespace polyrail::emu {
namespace {

using Names = std::vector<std::string>;

TEST(Rules, MemoryBehindADescriptor) {
  Pair p;
  const int fd = memfd_create("dmabuf", 0);
  ASSERT_EQ(ftruncate(fd, 8192), 0);
  ibv_mr* mr = ibv_reg_dmabuf_mr(p.b.pd, 4096, 4096, 0x1000, fd, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
  ASSERT_NE(mr, nullptr);
  auto* mine = static_cast<uint8_t*>(mmap(nullptr, 8192, PROT_READ, MAP_SHARED, fd, 0));
  close(fd);
  std::memset(p.a.buffer.data(), 0x5a, 16);
  ibv_sge sge{reinterpret_cast<uint64_t>(p.a.buffer.data()), 16, p.a.mr->lkey};
  ibv_send_wr wr = p.a.wr(1, IBV_WR_RDMA_WRITE, p.b, &sge);
  wr.wr.rdma = {0x1000 + 100, mr->rkey};
  ASSERT_EQ(p.a.post(&wr), 0);
  EXPECT_EQ(statuses(p.wait(p.a, 1)), Names{"SUCCESS"});
  EXPECT_EQ(mine[4096 + 100], 0x5a);
  EXPECT_EQ(ibv_dereg_mr(mr), 0);
  EXPECT_EQ(ibv_reg_dmabuf_mr(p.b.pd, 0, 4096, 0, -1, IBV_ACCESS_LOCAL_WRITE), nullptr);
  EXPECT_EQ(errno, EBADF);
  munmap(mine, 8192);
}

TEST(Rules, AWriteIntoAFinishedBufferIsReported) {
  Pair p;
  p.sim.world().memory().seal(p.b.buffer.data() + 100, 100);
  ASSERT_EQ(p.a.write(1, p.b, 100), 0);
  p.wait(p.a, 1);
  EXPECT_TRUE(p.sim.world().memory().violations().empty());
  ASSERT_EQ(p.a.write(2, p.b, 101), 0);
  p.wait(p.a, 1);
  EXPECT_EQ(p.sim.world().memory().violations().size(), 1u);
  p.sim.world().memory().unseal(p.b.buffer.data() + 100, 100);
  ASSERT_EQ(p.a.write(3, p.b, 150), 0);
  p.wait(p.a, 1);
  EXPECT_EQ(p.sim.world().memory().violations().size(), 1u);
}

TEST(Rules, LossIsRepaired) {
  Fabric fabric = defaultFabric();
  for (HostSpec& host : fabric.hosts) host.nics[0].ports[0].loss = 0.002;
  PairOptions o;
  o.retry = 7;
  Pair p(o, fabric);
  for (size_t i = 0; i < p.a.buffer.size(); i++) p.a.buffer.data()[i] = static_cast<uint8_t>(i * 13);
  for (uint64_t i = 0; i < 32; i++) ASSERT_EQ(i % 3 ? p.a.write(i, p.b, 1 << 20) : p.a.read(i, p.b, 1 << 19), 0);
  const auto done = p.wait(p.a, 32, 100'000'000'000);
  ASSERT_EQ(done.size(), 32u);
  for (const ibv_wc& wc : done) EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
  EXPECT_GT(p.sim.world().ports()[0]->lostPackets + p.sim.world().ports()[2]->lostPackets, 0u);
}

TEST(Rules, LossOfReadAnswersIsRepaired) {
  for (uint64_t seed = 1; seed <= 8; seed++) {
    Fabric fabric = defaultFabric();
    fabric.seed = seed;
    fabric.hosts[1].nics[0].ports[0].loss = 0.004;  // mostly answers cross it
    PairOptions o;
    o.retry = 7;
    Pair p(o, fabric);
    for (size_t i = 0; i < p.b.buffer.size(); i++) p.b.buffer.data()[i] = static_cast<uint8_t>(i * 29 + seed);
    for (uint64_t i = 0; i < 16; i++) ASSERT_EQ(p.a.read(i, p.b, 1 << 16, i << 16), 0);
    const auto done = p.wait(p.a, 16, 100'000'000'000);
    ASSERT_EQ(done.size(), 16u);
    for (const ibv_wc& wc : done) EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
    EXPECT_EQ(std::memcmp(p.a.buffer.data(), p.b.buffer.data(), 1 << 20), 0);
  }
}

}  // namespace
}  // namespace polyrail::emu
