// SPDX-License-Identifier: Apache-2.0
// What a comm makes of its peer's end, of which the control channel tells it.
#include <gtest/gtest.h>

#include "test/unit/net-data/rig.h"

namespace polyrail::net {
namespace {

struct Waiting {
  Waiting() : pair(rig), buffer(4096), keys(rig.keys(false, buffer.data(), buffer.size())) {
    rig.on(false);
    void* data = buffer.data();
    const size_t capacity = buffer.size();
    const int tag = 0;
    const MemoryKeys* const key = &keys;
    EXPECT_EQ(pair.recv->irecv(1, &data, &capacity, &tag, &key, &request), Outcome::kOk);
  }
  Outcome after(int64_t ns) {
    rig.sim().run(ns);
    rig.on(false);
    int done = 0, size = 0;
    return test(request, &done, &size);
  }

  Rig rig{RigOptions{}};
  CommPair pair;
  std::vector<char> buffer;
  MemoryKeys keys;
  Request* request = nullptr;
};

TEST(Peer, WhoHasLeftIsNotLostAfterwards) {
  Waiting w;
  w.pair.recv->peerIs(Comm::Peer::kLeft);
  w.pair.recv->peerIs(Comm::Peer::kLost);       // the end of the stream, after the goodbye
  EXPECT_EQ(w.after(1'000'000), Outcome::kOk);  // its last packets may be on their way
  EXPECT_EQ(w.after(300'000'000), Outcome::kRemoteError);
  EXPECT_NE(w.pair.recv->error().find("closed the connection"), std::string::npos) << w.pair.recv->error();
}

TEST(Peer, WhoIsGoneEndsTheComm) {
  Waiting w;
  EXPECT_EQ(w.after(300'000'000), Outcome::kOk);
  w.pair.recv->peerIs(Comm::Peer::kLost);
  EXPECT_EQ(w.after(1'000'000), Outcome::kOk);
  EXPECT_EQ(w.after(300'000'000), Outcome::kRemoteError);
  EXPECT_NE(w.pair.recv->error().find("is gone"), std::string::npos) << w.pair.recv->error();
}

}  // namespace
}  // namespace polyrail::net
