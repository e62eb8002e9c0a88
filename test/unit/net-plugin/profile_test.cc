// SPDX-License-Identifier: Apache-2.0
// A profiler hears of each send and of each member of a grouped receive: started with its own parent and size,
// stopped once, with the handle that it gave.
#include "net/plugin/profile.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace polyrail::net {
namespace {

struct Heard {
  std::vector<std::string> starts;
  std::map<void*, int> open;  // by handle
  int stops = 0, strayStops = 0;
  bool wanted = true;
};
Heard heard;
char handles[512];

nccl::Result listen(void** handle, nccl::NetEvent event, void* parent, int64_t id, void* descriptor) {
  EXPECT_EQ(id, nccl::kNetEventIdIbV1);
  if (event == nccl::NetEvent::kStart) {
    if (!heard.wanted) return nccl::Result::kSuccess;
    const auto& qp = static_cast<nccl::NetIbEventV1*>(descriptor)->qp;
    heard.starts.push_back(std::string(static_cast<char*>(parent)) + " " + std::to_string(qp.length) + " on " +
                           std::to_string(qp.device));
    *handle = &handles[heard.starts.size()];
    heard.open[*handle]++;
    return nccl::Result::kSuccess;
  }
  heard.stops++;
  if (heard.open[*handle]-- != 1) heard.strayStops++;
  return nccl::Result::kSuccess;
}

struct ProfileTest : testing::Test {
  ProfileTest() { heard = {}; }
  Request request(Request::Kind kind) {
    Request r;
    r.kind = kind;
    return r;
  }
  char a[2] = "a", b[2] = "b";
  size_t sizes[2] = {10, 20};
  Profile profile{listen, 3};
};

TEST_F(ProfileTest, ASendIsOneEvent) {
  Request r = request(Request::Kind::kSend);
  void* parent = a;
  profile.start(&r, 1, &parent, sizes);
  ASSERT_NE(r.event, nullptr);
  profile.stop(&r);
  EXPECT_EQ(r.event, nullptr);
  EXPECT_EQ(heard.starts, std::vector<std::string>{"a 10 on 3"});
  EXPECT_EQ(heard.stops, 1);
}

TEST_F(ProfileTest, EachMemberOfAGroupIsOne) {
  Request r = request(Request::Kind::kReceive);
  void* parents[3] = {a, nullptr, b};
  const size_t three[3] = {10, 15, 20};
  profile.start(&r, 3, parents, three);
  profile.stop(&r);
  EXPECT_EQ(heard.starts, (std::vector<std::string>{"a 10 on 3", "b 20 on 3"}));
  EXPECT_EQ(heard.stops, 2);
  EXPECT_EQ(heard.strayStops, 0);
}

TEST_F(ProfileTest, AsManyReceivesAsThereAreSlotsAtOnceAndAgain) {
  std::vector<Request> all(kSlots, request(Request::Kind::kReceive));
  void* parents[2] = {a, b};
  for (int round = 0; round < 3; round++) {
    for (Request& r : all) profile.start(&r, 2, parents, sizes);
    for (Request& r : all) {
      ASSERT_NE(r.event, nullptr);
      profile.stop(&r);
    }
  }
  EXPECT_EQ(heard.stops, 3 * 2 * static_cast<int>(kSlots));
  EXPECT_EQ(heard.strayStops, 0);
}

TEST_F(ProfileTest, NobodyWhoListensCostsNoPlace) {
  heard.wanted = false;
  void* parents[2] = {a, b};
  for (unsigned i = 0; i < 2 * kSlots; i++) {
    Request r = request(Request::Kind::kReceive);
    profile.start(&r, 2, parents, sizes);
    EXPECT_EQ(r.event, nullptr);
  }
  heard.wanted = true;
  Request r = request(Request::Kind::kReceive);
  profile.start(&r, 1, parents, sizes);
  EXPECT_NE(r.event, nullptr);
  Profile silent(nullptr, 0);
  Request none = request(Request::Kind::kSend);
  silent.start(&none, 1, parents, sizes);
  EXPECT_EQ(none.event, nullptr);
}

}  // namespace
}  // namespace polyrail::net
