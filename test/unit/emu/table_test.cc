// SPDX-License-Identifier: Apache-2.0
#include "test/emu/verbs/verbs_table.h"

#include <gtest/gtest.h>

#include "test/emu/verbs/simulation.h"

namespace polyrail::emu {
namespace {

TEST(VerbsTable, IsWhole) {
  net::Verbs v = emulatedVerbs();
  EXPECT_EQ(v.queryPortSpeed, nullptr);  // newer than the libibverbs that is emulated
  v.queryPortSpeed = [](ibv_context*, uint32_t, uint64_t*) { return 0; };
  const void* const* entries = reinterpret_cast<const void* const*>(&v);
  for (size_t i = 0; i < sizeof v / sizeof(void*); i++) EXPECT_NE(entries[i], nullptr) << i;
}

TEST(VerbsTable, AnswersLikeALibrary) {
  Simulation sim(defaultFabric());
  const net::Verbs v = emulatedVerbs();
  int count = 0;
  ibv_device** list = v.getDeviceList(&count);
  ASSERT_EQ(count, 2);
  ibv_context* context = v.openDevice(list[1]);
  ibv_port_attr port;
  EXPECT_EQ(net::queryPort(v, context, 1, &port), 0);
  EXPECT_EQ(port.link_layer, IBV_LINK_LAYER_ETHERNET);
  EXPECT_EQ(v.closeDevice(context), 0);
  v.freeDeviceList(list);
}

}  // namespace
}  // namespace polyrail::emu
