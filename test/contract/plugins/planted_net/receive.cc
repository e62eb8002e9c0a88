// SPDX-License-Identifier: Apache-2.0
// Defects of receiving.
#include <cstring>

#include "test/contract/plugins/planted_net/defects.h"

namespace planted {
namespace {

constexpr size_t kLine = 128;

void lostByte(NetV12&) {
  hooks.received = [](Transfer& t, int* sizes) {
    if (sizes[0] > 2) t.data[0][sizes[0] - 1] ^= 1;
    return true;
  };
}

void wrongSize(NetV12&) {
  hooks.posting = [](Transfer& t, int*) { t.copied = static_cast<int>(t.sizes[0]); };  // the capacity
  hooks.received = [](Transfer& t, int* sizes) { return sizes[0] = t.copied, true; };
}

void extraSizes(NetV12&) {
  hooks.received = [](Transfer& t, int* sizes) { return sizes[t.n] = 1, true; };
}

// What completes takes another one with it, the last posted, which has not arrived.
void doubleCompletion(NetV12&) {
  hooks.received = [](Transfer& t, int*) {
    static int completed;
    Transfer* last = nullptr;
    for (Transfer* other : alive())
      if (other != &t && other->comm == t.comm && !other->arrived) last = other;
    if (last && ++completed % 5 == 0) abandon(*last);
    return true;
  };
}

// The last byte of a receive is written once more, when the next one is tested.
void lateWrite(NetV12&) {
  static char* late;
  hooks.received = [](Transfer& t, int* sizes) {
    if (late) *late = 'x';
    late = sizes[0] > 0 ? t.data[0] + sizes[0] - 1 : nullptr;
    return true;
  };
}

void overrun(NetV12&) {
  hooks.posting = [](Transfer& t, int*) { t.copied = static_cast<int>(t.sizes[0]); };
  hooks.received = [](Transfer& t, int* sizes) {
    if (sizes[0] > 0 && sizes[0] < t.copied) t.data[0][sizes[0]] = 'x';
    return true;
  };
}

// Behind all of the registered memory.
void outside(NetV12&) {
  hooks.received = [](Transfer& t, int*) {
    const auto* mr = static_cast<const reference::Mr*>(t.mhandles[0]);
    mr->data[mr->size] = 'x';
    return true;
  };
}

void useBounce(Transfer& t) {
  for (const size_t size : t.sizes) t.bounce.emplace_back(size);
  for (auto& buffer : t.bounce) t.bounceMrs.push_back({buffer.data(), buffer.size()});
}

// Two rails, each with a half that ends in the middle of a line; the second is the faster one.
void unalignedSplit(NetV12&) {
  hooks.posting = [](Transfer& t, int*) { useBounce(t); };
  hooks.received = [](Transfer& t, int* sizes) {
    for (int i = 0; i < t.n; i++) {
      const auto size = static_cast<size_t>(sizes[i]), first = size < 2 * kLine ? 0 : size / 2 / kLine * kLine + 64;
      const char* from = t.bounce[static_cast<size_t>(i)].data();
      char* to = t.data[static_cast<size_t>(i)];
      if (t.copied == 0)
        std::memcpy(to + first, from + first, size - first);
      else
        std::memcpy(to, from, first);
    }
    return ++t.copied == 2;
  };
}

void wrongTag(NetV12&) {
  hooks.posting = [](Transfer& t, int* tags) {
    if (t.n > 1) std::swap(tags[0], tags[1]);
  };
}

void zeroNever(NetV12&) {
  hooks.received = [](Transfer&, int* sizes) { return sizes[0] > 0; };
}

void keepsMark(NetV12& table) {
  table.irecv = [](void* comm, int n, void** data, size_t* sizes, int* tags, void** mhandles, void** phandles,
                   void** request) {
    return *request == reinterpret_cast<void*>(kNetOptionalRecvCompletion)
               ? Result::kSuccess
               : irecv(comm, n, data, sizes, tags, mhandles, phandles, request);
  };
}

void doneUnwritten(NetV12& table) {
  table.test = [](void* request, int* done, int* sizes) {
    int now = 0;
    const Result result = test(request, &now, sizes);
    if (now) *done = now;
    return result;
  };
}

void nullSizes(NetV12& table) {
  table.test = [](void* request, int* done, int* sizes) {
    *sizes = 0;
    return test(request, done, sizes);
  };
}

constexpr Defect kDefects[] = {
    {"lost-byte", lostByte},     {"wrong-size", wrongSize},
    {"extra-sizes", extraSizes}, {"double-completion", doubleCompletion},
    {"late-write", lateWrite},   {"overrun", overrun},
    {"outside", outside},        {"unaligned-split", unalignedSplit},
    {"wrong-tag", wrongTag},     {"zero-never", zeroNever},
    {"keeps-mark", keepsMark},   {"done-unwritten", doneUnwritten},
    {"null-sizes", nullSizes},
};

}  // namespace

std::span<const Defect> receiveDefects() { return kDefects; }

}  // namespace planted
