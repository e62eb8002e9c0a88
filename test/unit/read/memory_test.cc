// SPDX-License-Identifier: Apache-2.0
// The reader's memory does not grow with the file: a log of a long job, or a core dump taken for one, is read as
// well.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "cli/read/reader.h"

namespace polyrail {
namespace {

constexpr long kAllowedKiB = 48 << 10;
constexpr off_t kFileBytes = 256 << 20;

struct TemporaryFile {
  TemporaryFile() : descriptor(mkstemp(path)) {}
  ~TemporaryFile() {
    close(descriptor);
    unlink(path);
  }
  char path[32] = "/tmp/polyrail-read-XXXXXX";
  int descriptor;
};

long peakKiB() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

long growthOfReading(const char* path) {
  const long before = peakKiB();
  (void)collectRuns(path);  // what it says of such a file is not this test's business
  return peakKiB() - before;
}

TEST(Memory, OneEndlessLineIsNotKept) {
  TemporaryFile file;
  ASSERT_EQ(ftruncate(file.descriptor, kFileBytes), 0);
  EXPECT_LT(growthOfReading(file.path), kAllowedKiB);
}

TEST(Memory, LinesThatSayNothingAreNotKept) {
  TemporaryFile file;
  {
    std::ofstream out(file.path);
    const std::string line =
        "node1:12:34 [0] NCCL INFO something that no reader knows, for the hundredth time today\n";
    for (off_t bytes = 0; bytes < kFileBytes / 4; bytes += static_cast<off_t>(line.size())) out << line;
  }
  EXPECT_LT(growthOfReading(file.path), kAllowedKiB / 4);
}

}  // namespace
}  // namespace polyrail
