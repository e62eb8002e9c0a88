// SPDX-License-Identifier: Apache-2.0
// Buffers on every rail of a comm, on the emulated verbs: whole, or not at all.
#include "net/memory/rail_memory.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test/emu/core/world.h"
#include "test/emu/verbs/mlx5_double.h"
#include "test/emu/verbs/simulation.h"
#include "test/emu/verbs/verbs_table.h"

namespace polyrail::net {
namespace {

using testing::HasSubstr;
constexpr size_t kBytes = 1 << 20;

emu::Fabric smallSecondRail() {
  emu::Fabric fabric = emu::defaultFabric();
  fabric.hosts[0].nics[1].limits.memlock = 64 << 10;
  return fabric;
}

class RailMemoryTest : public testing::Test {
 protected:
  explicit RailMemoryTest(emu::Fabric fabric = emu::defaultFabric()) : sim_(std::move(fabric)) {
    for (const char* name : {"emu0", "emu1"}) rails_.push_back({OpenDevice::open(verbs_, name).value(), {}});
    buffer_ = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  ~RailMemoryTest() override {
    rails_.clear();
    munmap(buffer_, kBytes);
    EXPECT_EQ(sim_.world().census.text(), "");
  }
  MemoryRange range(size_t bytes = kBytes) const { return {reinterpret_cast<uintptr_t>(buffer_), bytes}; }
  int64_t regions() { return sim_.world().census[emu::Kind::kMr]; }

  emu::Simulation sim_;
  Verbs verbs_ = emu::emulatedVerbs();
  std::vector<MemoryRail> rails_;
  void* buffer_ = nullptr;
};

class ShortRail : public RailMemoryTest {
 protected:
  ShortRail() : RailMemoryTest(smallSecondRail()) {}
};

TEST_F(RailMemoryTest, EveryRailHasItsKeys) {
  auto memory = RailMemory::create(rails_, range()).value();
  EXPECT_EQ(memory->keys().rails, 3);
  EXPECT_EQ(memory->keys().length, kBytes);
  EXPECT_FALSE(memory->keys().device);
  EXPECT_EQ(regions(), 2);
  auto part = RailMemory::create(rails_, range(4096)).value();
  EXPECT_EQ(regions(), 2);
  EXPECT_EQ(part->keys().rkey, memory->keys().rkey);
  EXPECT_TRUE(memory->release().ok());
  EXPECT_EQ(regions(), 2) << "the part is still in use";
  EXPECT_TRUE(memory->release().ok()) << "a second time changes nothing";
}

TEST_F(ShortRail, AFailureOnOneRailGivesTheOthersBack) {
  const auto none = RailMemory::create(rails_, range());
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.message(), HasSubstr("emu1"));
  EXPECT_THAT(none.message(), HasSubstr("ulimit -l"));
  EXPECT_EQ(regions(), 0);
  EXPECT_TRUE(RailMemory::create(rails_, range(4096)).ok());
}

TEST_F(RailMemoryTest, TheDmaBufIsKeptUntilTheEnd) {
  const int fd = memfd_create("gpu", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(fd, kBytes), 0);
  MemoryRange gpu = range();
  gpu.type = MemoryType::kDevice;
  gpu.dmaBuf = fd;
  const int next = dup(fd);  // the lowest free number, which the copy will take
  close(next);
  auto memory = RailMemory::create(rails_, gpu).value();
  close(fd);
  EXPECT_TRUE(memory->keys().device);
  EXPECT_EQ(fcntl(next, F_GETFD), FD_CLOEXEC);
  memory.reset();
  EXPECT_EQ(fcntl(next, F_GETFD), -1);
}

class GpuMemory : public RailMemoryTest {
 protected:
  GpuMemory() {
    fd_ = memfd_create("gpu", MFD_CLOEXEC);
    EXPECT_EQ(ftruncate(fd_, kBytes), 0);
    Port port;
    port.gpuDirect.dmaBuf = true;
    usual_ = registrationWays(port, mlx5_);
    port.dataDirect = true;
    direct_ = registrationWays(port, mlx5_);
  }
  ~GpuMemory() override { close(fd_); }
  MemoryRange gpu() const {
    MemoryRange r = range();
    r.type = MemoryType::kDevice;
    r.dmaBuf = fd_;
    return r;
  }
  int fd_;
  Mlx5 mlx5_ = emu::emulatedMlx5();
  RegistrationWays usual_, direct_;
};

TEST_F(GpuMemory, GoesByTheDataDirectInterfaceOfThoseRailsThatAreIt) {
  rails_[0].ways = direct_;
  rails_[1].ways = usual_;
  const auto memory = RailMemory::create(rails_, gpu()).value();
  EXPECT_EQ(memory->keys().rails, 3);
  EXPECT_EQ(emu::mlx5Double.registered, 1);
  EXPECT_EQ(regions(), 2);
}

TEST_F(GpuMemory, TheTwoWaysOfOneCardShareNoRegistration) {
  rails_ = {{rails_[0].device, usual_}, {rails_[0].device, direct_}};
  const auto memory = RailMemory::create(rails_, gpu()).value();
  EXPECT_NE(memory->keys().rkey[0], memory->keys().rkey[1]);
  const auto again = RailMemory::create(rails_, gpu()).value();
  EXPECT_EQ(again->keys().rkey, memory->keys().rkey);
  EXPECT_EQ(emu::mlx5Double.registered, 1);
  const auto host = RailMemory::create(rails_, range()).value();
  EXPECT_EQ(host->keys().rkey[0], host->keys().rkey[1]) << "host memory knows no second way";
}

TEST_F(GpuMemory, FallsBackToTheUsualWayAndNamesBothWhenNoneWorks) {
  rails_.resize(1);
  rails_[0].ways = direct_;
  emu::mlx5Double.registerError = EOPNOTSUPP;
  EXPECT_TRUE(RailMemory::create(rails_, gpu()).ok());
  EXPECT_EQ(emu::mlx5Double.registered, 0);
  MemoryRange beyond = gpu();
  beyond.address += 4096;
  beyond.offset = 0;
  beyond.dmaBuf = open("/dev/null", O_RDONLY | O_CLOEXEC);  // is no dma-buf
  const auto none = RailMemory::create(rails_, beyond);
  close(beyond.dmaBuf);
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.message(), HasSubstr("data-direct: Operation not supported, DMA-BUF: "));
}

TEST_F(RailMemoryTest, TooManyRailsAreRefused) {
  rails_.resize(9, rails_[0]);
  EXPECT_FALSE(RailMemory::create(rails_, range()).ok());
  EXPECT_FALSE(RailMemory::create({}, range()).ok());
}

}  // namespace
}  // namespace polyrail::net
