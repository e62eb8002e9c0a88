// SPDX-License-Identifier: Apache-2.0
// What belongs to nobody is logged through the latest NCCL that is still there.
#include "net/plugin/loggers.h"

#include <gtest/gtest.h>

#include <cstdarg>
#include <string>

#include "common/log.h"

namespace polyrail::net {
namespace {

std::string heard[2];

template <int who>
void listen(nccl::LogLevel, unsigned long, const char*, int, const char* format, ...) {
  char text[2048];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  heard[who] += text;
}

std::string said() {
  heard[0].clear(), heard[1].clear();
  Log(relayLog, "x").warn("%d%%", 7);
  return heard[0] + "|" + heard[1];
}

TEST(Loggers, TheLatestThatIsThere) {
  EXPECT_EQ(said(), "|");
  addLogger(nullptr);
  dropLogger(nullptr);
  EXPECT_EQ(said(), "|");
  addLogger(listen<0>);
  EXPECT_EQ(said(), "x: 7%|");
  addLogger(listen<1>);
  addLogger(listen<1>);
  EXPECT_EQ(said(), "|x: 7%");
  addLogger(listen<0>);
  EXPECT_EQ(said(), "x: 7%|");
  dropLogger(listen<0>);
  EXPECT_EQ(said(), "x: 7%|") << "another communicator of that NCCL is alive";
  dropLogger(listen<0>);
  EXPECT_EQ(said(), "|x: 7%");
  dropLogger(listen<1>);
  dropLogger(listen<1>);
  EXPECT_EQ(said(), "|");
}

// As of an NCCL that was unloaded without a word.
TEST(Loggers, OneWhoseCodeIsGoneIsPassedOver) {
  addLogger(listen<0>);
  char* heap = new char[16];
  addLogger(reinterpret_cast<nccl::LogFunction>(heap));
  EXPECT_EQ(said(), "x: 7%|");
  dropLogger(reinterpret_cast<nccl::LogFunction>(heap));
  dropLogger(listen<0>);
  delete[] heap;
}

TEST(Loggers, MoreThanThereIsRoomFor) {
  char* heap = new char[64];
  addLogger(listen<1>);
  for (int i = 0; i < 20; i++) addLogger(reinterpret_cast<nccl::LogFunction>(heap + i));
  addLogger(listen<0>);
  EXPECT_EQ(said(), "x: 7%|");
  for (int i = 0; i < 20; i++) dropLogger(reinterpret_cast<nccl::LogFunction>(heap + i));
  dropLogger(listen<0>);
  dropLogger(listen<1>);
  EXPECT_EQ(said(), "|");
  delete[] heap;
}

}  // namespace
}  // namespace polyrail::net
