// SPDX-License-Identifier: Apache-2.0
// Buffers on every rail of a comm, on the emulated verbs: whole, or not at all.
#include "net/memory/rail_memory.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test/emu/core/world.h"
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

TEST_F(RailMemoryTest, TooManyRailsAreRefused) {
  rails_.resize(9, rails_[0]);
  EXPECT_FALSE(RailMemory::create(rails_, range()).ok());
  EXPECT_FALSE(RailMemory::create({}, range()).ok());
}

}  // namespace
}  // namespace polyrail::net
