// SPDX-License-Identifier: Apache-2.0
// A small tuner that keeps the contract, and breaks it in the way named by REFERENCE_TUNER_DEFECT: the proof that the
// host can fail a plugin. It prefers Ring/Simple for AllReduce from 1 MiB on, with 4 channels and 64 KiB chunks, and
// leaves all else alone. One object built into one .so; state is one word per communicator.
#include <unistd.h>

#include <clocale>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "common/nccl/terms.h"
#include "common/nccl/tuner_abi.h"

#define REFERENCE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using namespace polyrail::nccl;

constexpr int kRing = static_cast<int>(Algorithm::kRing), kSimple = static_cast<int>(Protocol::kSimple);
constexpr size_t kFrom = 1 << 20;

bool defect(const char* name) {
  const char* wanted = getenv("REFERENCE_TUNER_DEFECT");
  return wanted && strcmp(wanted, name) == 0;
}

struct State {
  LogFunction log = nullptr;
  bool elsewhere = false;  // a per-rank reason to choose otherwise
};

bool dependsOnHost() {
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  if (defect("host-name")) return strncmp(host, "node-7", 6) == 0;
  if (defect("user")) return getuid() != 0;
  if (defect("locale")) return localeconv()->decimal_point[0] != '.';
  if (defect("language")) return getenv("LANG") != nullptr;
  return defect("clock") && time(nullptr) / 400'000'000 % 2 == 1;
}

Result start(LogFunction log, void** context) {
  if (defect("init-fails")) return Result::kSystemError;
  State* state = new State{log, dependsOnHost()};
  if (log || defect("null-logger")) log(LogLevel::kInfo, kLogTuning, __FILE__, __LINE__, "reference tuner");
  *context = state;
  return Result::kSuccess;
}

Result stop(void* context) {
  delete static_cast<State*>(context);
  return Result::kSuccess;
}

bool matches(const State* state, int collective, size_t bytes) {
  return !state->elsewhere && collective == static_cast<int>(Collective::kAllReduce) && bytes >= kFrom;
}

void spoil(float* cells, int algorithms, int protocols) {
  const int size = algorithms * protocols;
  if (defect("past-the-table")) cells[size] = 0;
  for (int i = 0; i < size; i++) {
    if (defect("allows-ignored") && cells[i] == kCostIgnore) cells[i] = 0;
    if (defect("writes-minus-one") && cells[i] > 0 && i != kRing * protocols + kSimple) cells[i] = kCostIgnore;
    if (defect("tie") && cells[i] > 0) cells[i] = 0;
    if (defect("not-a-number") && cells[i] > 0) cells[i] = NAN;
  }
}

// The preferred entry becomes the least: its own cost, and every other at or below it a little dearer.
void prefer(float* cells, int algorithms, int protocols) {
  float& mine = cells[kRing * protocols + kSimple];
  if (mine == kCostIgnore) return;
  for (int i = 0; i < algorithms * protocols; i++)
    if (cells + i != &mine && cells[i] >= 0 && cells[i] <= mine) cells[i] = mine * 1.001f;
  if (defect("zero-time")) mine = 0;
  if (defect("other-choice")) mine *= 2;
}

int channelsFor(bool matched) {
  if (defect("always-one-channel") && !matched) return 1;
  if (defect("128-channels")) return 128;
  return matched ? 4 : 0;
}

Result decide(void* context, int collective, size_t bytes, float** table, int algorithms, int protocols,
              int* channels) {
  const bool matched = matches(static_cast<State*>(context), collective, bytes);
  if (defect("fails-unknown") && collective >= kNumCollectives) return Result::kInvalidUsage;
  if (const int n = channelsFor(matched); n != 0) *channels = n;
  if (!matched) return Result::kSuccess;
  float* cells = reinterpret_cast<float*>(table);
  prefer(cells, algorithms, protocols);
  spoil(cells, algorithms, protocols);
  return Result::kSuccess;
}

Result initV2(size_t, size_t, LogFunction log, void** context) { return start(log, context); }
Result initV5(void** context, uint64_t, size_t, size_t, LogFunction log, NvlDomainInfoV5*, TunerConstantsV5*) {
  return start(log, context);
}

Result decideV2(void* context, CollType collective, size_t bytes, int, int, int, int* algorithm, int* protocol,
                int* channels) {
  const bool matched = matches(static_cast<State*>(context), collective, bytes);
  if (matched) *algorithm = defect("unchecked") ? static_cast<int>(Algorithm::kNvlsTree) : kRing, *protocol = kSimple;
  if (const int n = channelsFor(matched); n != 0) *channels = n;
  return Result::kSuccess;
}
Result decideV3(void* context, CollType collective, size_t bytes, int, float** table, int algorithms, int protocols,
                int* channels) {
  return decide(context, collective, bytes, table, algorithms, protocols, channels);
}
Result decideV4(void* context, CollType collective, size_t bytes, int, float** table, int algorithms, int protocols,
                int, int* channels) {
  return decide(context, collective, bytes, table, algorithms, protocols, channels);
}
Result chunkV6(void*, CollType, size_t, int, int protocol, int, size_t* chunk) {
  if (defect("chunk-below-grain"))
    *chunk = 8;
  else if (protocol == kSimple)
    *chunk = 64 << 10;
  return Result::kSuccess;
}

}  // namespace

REFERENCE_EXPORT const TunerV2 ncclTunerPlugin_v2 = {"reference", initV2, decideV2, stop};
REFERENCE_EXPORT const TunerV3 ncclTunerPlugin_v3 = {"reference", initV2, decideV3, stop};
REFERENCE_EXPORT const TunerV4 ncclTunerPlugin_v4 = {"reference", initV2, decideV4, stop};
REFERENCE_EXPORT const TunerV5 ncclTunerPlugin_v5 = {"reference", initV5, decideV4, stop};
REFERENCE_EXPORT const TunerV6 ncclTunerPlugin_v6 = {"reference", initV5, decideV4, stop, chunkV6};
