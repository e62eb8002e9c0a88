// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/mutant/mutation.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "net/plugin/handle.h"

namespace polyrail::vgpu {

namespace {

constexpr int kPiece = 4096, kLeast = 4 * kPiece, kWhich = 3;

struct Received {
  char* data = nullptr;
  std::vector<char> before;  // what lay in the middle piece
};

struct State {
  std::mutex mutex;
  std::map<void*, Received> pending;
  int seen = 0;
};

State& state() {
  static State* const one = new State;
  return *one;
}

std::string_view mutation() {
  const char* how = getenv("VGPU_MUTATION");
  return how ? how : "";
}

void mutate(const Received& received, int size) {
  const std::string_view how = mutation();
  char* middle = received.data + size / 2 / kPiece * kPiece;
  fprintf(stderr, "mutant: %s in a message of %d bytes\n", how.data(), size);
  if (how == "flip") *middle ^= 1;
  if (how == "drop") std::copy(received.before.begin(), received.before.end(), middle);
  if (how == "swap") std::swap_ranges(middle - kPiece, middle, middle);
}

}  // namespace

void begun(void* request, void* data, size_t capacity) {
  if (capacity < kLeast) return;
  Received received{static_cast<char*>(data), {}};
  const char* middle = received.data + capacity / 2 / kPiece * kPiece;
  received.before.assign(middle, middle + kPiece);
  const std::lock_guard lock(state().mutex);
  state().pending[request] = std::move(received);
}

void arrived(void* request, int size) {
  const std::lock_guard lock(state().mutex);
  const auto found = state().pending.find(request);
  if (found == state().pending.end()) return;
  if (size >= kLeast && ++state().seen == kWhich) mutate(found->second, size);
  state().pending.erase(found);
}

void listening(void* handle) {
  if (mutation() != "version") return;
  net::Handle own;
  memcpy(&own, handle, sizeof own);
  own.lowest = own.highest = net::kProtocolVersion + 1;
  memcpy(handle, &own, sizeof own);
}

}  // namespace polyrail::vgpu
