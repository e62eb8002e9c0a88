// SPDX-License-Identifier: Apache-2.0
// Messages beyond 2 GiB, on one piece of memory that is mapped again and again.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <climits>
#include <cstring>

#include "test/unit/net-data/driver.h"

namespace polyrail::net {
namespace {

class Repeated {
 public:
  Repeated(size_t total, size_t piece) : total_(total) {
    const int fd = memfd_create("piece", MFD_CLOEXEC);
    if (ftruncate(fd, static_cast<off_t>(piece)) != 0) return;
    data_ = static_cast<char*>(mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    for (size_t at = 0; at < total; at += piece)
      mmap(data_ + at, std::min(piece, total - at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
    close(fd);
  }
  ~Repeated() { munmap(data_, total_); }
  Repeated(const Repeated&) = delete;
  char* data() const { return data_; }

 private:
  size_t total_;
  char* data_ = nullptr;
};

TEST(LongMessage, MoreThanTwoGibibytesOverTwoRails) {
  constexpr size_t kPiece = 4 << 20, kSize = (size_t{1} << 31) + 12'345;
  RigOptions options{.senderGbps = {400, 400}, .receiverGbps = {400, 400}};
  options.segment = 4 << 20;
  Rig rig(options);
  CommPair pair(rig);
  ASSERT_TRUE(pair.status.ok());
  Repeated out(kSize, kPiece), in(kSize, kPiece);
  std::memset(out.data(), 0x5a, kPiece);
  const MemoryKeys outKeys = rig.keys(true, out.data(), kSize), inKeys = rig.keys(false, in.data(), kSize);
  Driver driver(rig, pair);
  rig.on(false);
  void* data = in.data();
  const MemoryKeys* keys = &inKeys;
  const int tag = 1;
  Request *receive = nullptr, *send = nullptr;
  ASSERT_EQ(pair.recv->irecv(1, &data, &kSize, &tag, &keys, &receive), Outcome::kOk);
  driver.pass(100'000);
  rig.on(true);
  ASSERT_EQ(pair.send->isend(out.data(), kSize, tag, outKeys, &send), Outcome::kOk);
  ASSERT_NE(send, nullptr);
  bool sent = false, received = false;
  int size = 0;
  rig.sim().until(
      [&] {
        sent = sent || driver.done(true, send);
        received = received || driver.done(false, receive, &size);
        return sent && received;
      },
      1'000'000'000);
  EXPECT_TRUE(sent && received) << pair.send->error() << pair.recv->error();
  EXPECT_EQ(size, INT_MAX) << "the most that NCCL's int can say";
  EXPECT_EQ(std::memcmp(out.data(), in.data(), kPiece), 0);
  EXPECT_EQ(pair.recv->bytesArrived(0) + pair.recv->bytesArrived(1), kSize);
  EXPECT_EQ(rig.sim().world().memory().violations().size(), 0u);
}

}  // namespace
}  // namespace polyrail::net
