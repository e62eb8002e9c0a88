// SPDX-License-Identifier: Apache-2.0
// Defects of sending.
#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>

#include "test/contract/plugins/planted_net/defects.h"

namespace planted {
namespace {

// Done before the data has left the buffer: it leaves with the next message.
void earlyDone(NetV12& table) {
  struct Waiting {
    void* data;
    size_t size;
    int tag;
    void* mhandle;
  };
  table.isend = [](void* comm, void* data, size_t size, int tag, void* mhandle, void*, void** request) {
    static thread_local std::map<void*, Waiting> waiting;
    *request = nullptr;
    if (const auto before = waiting.find(comm); before != waiting.end()) {
      const Waiting& w = before->second;
      void* sent = nullptr;
      const Result result = isend(comm, w.data, w.size, w.tag, w.mhandle, nullptr, &sent);
      if (sent == nullptr) return result;
    }
    waiting[comm] = {data, size, tag, mhandle};
    static char done;  // a request that test does not know is done
    *request = &done;
    return Result::kSuccess;
  };
}

// A request that is in use is given out once more. Sends complete slowly here, so that there are some in use.
void reusedRequest(NetV12&) {
  hooks.ready = [](Transfer& t) { return !t.send || ++t.copied > 6; };
  hooks.accepted = [](Transfer* t) {
    static int accepted;
    const auto twin = std::find_if(alive().begin(), alive().end(),
                                   [&](Transfer* other) { return other != t && other->comm == t->comm; });
    if (++accepted % 4 != 0 || twin == alive().end()) return t;
    Transfer* given = *twin;
    given->uses++;
    abandon(*t);
    std::erase(alive(), t);
    delete t;
    return given;
  };
}

// Accepted, and never sent.
void lostMessage(NetV12& table) {
  table.isend = [](void* comm, void* data, size_t size, int tag, void* mhandle, void* phandle, void** request) {
    static int sends;
    if (++sends % 50 != 0) return isend(comm, data, size, tag, mhandle, phandle, request);
    static char done;  // a request that test does not know is done
    *request = &done;
    return Result::kSuccess;
  };
}

// Two messages of one tag change places when both have their receive.
void swappedOrder(NetV12& table) {
  struct Held {
    void* comm = nullptr;
    char* data = nullptr;
    size_t size = 0;
    void* mhandle = nullptr;
  };
  table.isend = [](void* comm, void* data, size_t size, int tag, void* mhandle, void* phandle, void** request) {
    static thread_local Held held;
    static thread_local int sends;
    static char done;
    if (held.comm == nullptr && ++sends % 20 == 0) {
      held = {comm, static_cast<char*>(data), size, mhandle};
      *request = &done;
      return Result::kSuccess;
    }
    const Result result = isend(comm, data, size, tag, mhandle, phandle, request);
    if (*request == nullptr || held.comm != comm) return result;
    void* second = nullptr;
    const Held late = std::exchange(held, Held{});
    return isend(comm, late.data, late.size, tag, late.mhandle, nullptr, &second);
  };
}

void staleIsend(NetV12& table) {
  table.isend = [](void* comm, void* data, size_t size, int tag, void* mhandle, void* phandle, void** request) {
    void* made = nullptr;
    const Result result = isend(comm, data, size, tag, mhandle, phandle, &made);
    if (made) *request = made;
    return result;
  };
}

// No more requests: an error instead of null.
void fewRequests(NetV12& table) {
  table.isend = [](void* comm, void* data, size_t size, int tag, void* mhandle, void* phandle, void** request) {
    const auto busy = std::count_if(alive().begin(), alive().end(), [&](Transfer* t) { return t->comm == comm; });
    if (busy >= 16) return Result::kInternalError;
    return isend(comm, data, size, tag, mhandle, phandle, request);
  };
}

void blockingIsend(NetV12& table) {
  table.isend = [](void* comm, void* data, size_t size, int tag, void* mhandle, void* phandle, void** request) {
    for (int i = 0; i < 400; i++, usleep(1000))
      if (isend(comm, data, size, tag, mhandle, phandle, request) != Result::kSuccess || *request) break;
    return Result::kSuccess;
  };
}

// A peer that went is called a bug of this process.
void wrongError(NetV12& table) {
  table.test = [](void* request, int* done, int* sizes) {
    const Result result = test(request, done, sizes);
    return result == Result::kRemoteError ? Result::kInternalError : result;
  };
  table.isend = [](void* comm, void* data, size_t size, int tag, void* mhandle, void* phandle, void** request) {
    const Result result = isend(comm, data, size, tag, mhandle, phandle, request);
    return result == Result::kRemoteError ? Result::kInternalError : result;
  };
}

constexpr Defect kDefects[] = {
    {"early-done", earlyDone},         {"reused-request", reusedRequest}, {"lost-message", lostMessage},
    {"swapped-order", swappedOrder},   {"stale-isend", staleIsend},       {"few-requests", fewRequests},
    {"blocking-isend", blockingIsend}, {"wrong-error", wrongError},
};

}  // namespace

std::span<const Defect> sendDefects() { return kDefects; }

}  // namespace planted
