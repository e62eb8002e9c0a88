// SPDX-License-Identifier: Apache-2.0
#include "net/memory/mr_cache.h"

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "test/unit/net-memory/counting_verbs.h"

namespace polyrail::net {
namespace {

using testing::HasSubstr;
constexpr uintptr_t kAt = 0x7f0000000000;

class MrCacheTest : public testing::Test {
 protected:
  MrCacheTest() { counts.reset(); }
  const Registration* take(const MemoryRange& range, const RegistrationWays& how = {}) {
    const auto got = cache_.acquire(range, how);
    EXPECT_TRUE(got.ok()) << got.message();
    return got.ok() ? got.value() : nullptr;
  }

  const Verbs verbs_ = countingVerbs();
  MrCache cache_{verbs_, nullptr, "fake0"};
};

TEST_F(MrCacheTest, PartsOfARegionShareIt) {
  const Registration* whole = take({kAt, 1 << 20});
  EXPECT_EQ(take({kAt + 100, 64}), whole);
  EXPECT_EQ(take({kAt + (1 << 20) - 1, 1}), whole);
  EXPECT_NE(take({kAt + (1 << 20) - 1, 2}), whole);
  EXPECT_EQ(cache_.statistics().hits, 2u);
  EXPECT_EQ(cache_.statistics().misses, 2u);
}

TEST_F(MrCacheTest, KindsAreKeptApart) {
  const Registration* host = take({kAt, 4096});
  EXPECT_NE(take({kAt, 4096, MemoryType::kDevice}), host);
  EXPECT_NE(take({kAt, 4096}, {.relaxedOrdering = true}), host);
}

// NCCL closes a dma-buf's descriptor at once, and its number comes again for another buffer.
TEST_F(MrCacheTest, ADmaBufIsKnownByItsInode) {
  const int one = memfd_create("one", MFD_CLOEXEC);
  const Registration* first = take({kAt, 4096, MemoryType::kDevice, one});
  const int same = dup(one);
  EXPECT_EQ(take({kAt, 4096, MemoryType::kDevice, same}), first);
  close(one);
  const int other = memfd_create("other", MFD_CLOEXEC);
  EXPECT_EQ(other, one) << "the test means the number to come again";
  EXPECT_NE(take({kAt, 4096, MemoryType::kDevice, other}), first);
  EXPECT_EQ(counts.byDmaBuf, 2);
  close(same), close(other);
}

TEST_F(MrCacheTest, DmaBufFallsBackToTheAddress) {
  const int fd = memfd_create("buffer", MFD_CLOEXEC);
  counts.dmaBufFailsWith = EOPNOTSUPP;
  EXPECT_FALSE(take({kAt, 4096, MemoryType::kDevice, fd})->viaDmaBuf);
  const auto none = cache_.acquire({kAt + (1 << 20), 4096, MemoryType::kDevice, fd}, {.peermem = false});
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.message(), HasSubstr("DMA-BUF: Operation not supported"));
  EXPECT_THAT(none.message(), HasSubstr("load nvidia_peermem"));
  close(fd);
}

TEST_F(MrCacheTest, ALackOfLockedMemoryNamesTheRemedy) {
  counts.failWith = ENOMEM;
  const auto none = cache_.acquire({kAt, 10 << 20}, {});
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.message(), HasSubstr("fake0: 10485760 bytes of host memory cannot be registered"));
  EXPECT_THAT(none.message(), HasSubstr("ulimit -l unlimited"));
  EXPECT_EQ(none.message().find('\n'), std::string::npos);
  EXPECT_EQ(cache_.statistics().regions, 0u);
}

TEST_F(MrCacheTest, NonsenseIsRefused) {
  EXPECT_FALSE(cache_.acquire({kAt, 0}, {}).ok());
  EXPECT_FALSE(cache_.acquire({UINTPTR_MAX - 10, 4096}, {}).ok());
  const Registration stranger;
  EXPECT_FALSE(cache_.release(&stranger).ok());
}

TEST_F(MrCacheTest, ThreadsShareIt) {
  const auto work = [&](unsigned seed) {
    for (unsigned i = 0; i < 5'000; i++) {
      const auto got = cache_.acquire({kAt + (seed * 7 + i * 13) % 64 * 4096, 1 + i % 9000}, {});
      ASSERT_TRUE(got.ok() && cache_.release(got.value()).ok());
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; t++) threads.emplace_back(work, t);
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(counts.live(), 0);
}

}  // namespace
}  // namespace polyrail::net
