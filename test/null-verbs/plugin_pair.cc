// SPDX-License-Identifier: Apache-2.0
#include "test/null-verbs/plugin_pair.h"

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "test/null-verbs/null.h"

// Calls as NCCL makes them, through the table, by names that a profiler can be told.
namespace {
const polyrail::nccl::NetV12* table = nullptr;
}
extern "C" {
[[gnu::noinline]] polyrail::nccl::Result counted_isend(void* comm, void* data, size_t size, int tag, void* key,
                                                       void* parent, void** request) {
  return table->isend(comm, data, size, tag, key, parent, request);
}
[[gnu::noinline]] polyrail::nccl::Result counted_irecv(void* comm, int n, void** data, size_t* sizes, int* tags,
                                                       void** keys, void** parents, void** request) {
  return table->irecv(comm, n, data, sizes, tags, keys, parents, request);
}
[[gnu::noinline]] polyrail::nccl::Result counted_test(void* request, int* done, int* sizes) {
  return table->test(request, done, sizes);
}
}

namespace polyrail::contract {
namespace {

using NcclResult = nccl::Result;

std::string built(const char* file) {
  const char* build = std::getenv("POLYRAIL_BUILD");
  return std::string(build ? build : "build/release") + "/" + file;
}

template <typename Function>
Function* asked(void* library, const char* symbol) {
  return reinterpret_cast<Function*>(dlsym(library, symbol));
}

}  // namespace

struct PluginPair::Scope {
  Scope(std::atomic<const char*>* running, const char* name) : running_(running) {
    if (running_) *running_ = name;
  }
  ~Scope() {
    if (running_) *running_ = nullptr;
  }
  std::atomic<const char*>* running_;
};

template <typename Call>
Status PluginPair::checked(const char* name, Call&& call) {
  const Scope scope(running_, name);
  const NcclResult result = call();
  if (result == NcclResult::kSuccess) return {};
  return Status::error(std::string(name) + " returned " + std::to_string(static_cast<int>(result)));
}

PluginPair::PluginPair(unsigned rails, std::atomic<const char*>* running, const char* plugin) : running_(running) {
  const std::string verbs = built("null/libibverbs.so.1");
  setenv("NCCL_IBVERBS_LIB", verbs.c_str(), 1);
  setenv("NCCL_SOCKET_IFNAME", "lo", 1);
  setenv("NULL_RAILS", std::to_string(rails).c_str(), 1);
  setenv("NCCL_NET_MERGE_LEVEL", "SYS", 1);
  verbs_ = dlopen(verbs.c_str(), RTLD_NOW | RTLD_LOCAL);
  library_ = dlopen(built(plugin).c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto* net = library_ ? static_cast<const nccl::NetV12*>(dlsym(library_, "ncclNetPlugin_v12")) : nullptr;
  nccl::NetCommConfig config{nccl::kNetUndefined};
  if (!verbs_ || !net || net->init(&context_, 1, &config, nullptr, nullptr) != NcclResult::kSuccess) return;
  net_ = table = net;
  nccl::NetVDevicePropsV12 props{};
  props.ndevs = static_cast<int>(rails);
  for (int i = 0; i < props.ndevs; i++) props.devs[i] = i;
  if (rails > 1 && net_->makeVDevice(&device_, &props) != NcclResult::kSuccess) net_ = nullptr;
}

PluginPair::~PluginPair() {
  (void)close();
  if (net_) net_->finalize(context_);
  if (library_) dlclose(library_);
  if (verbs_) dlclose(verbs_);
}

Status PluginPair::connect() {
  if (!net_) return Status::error("the plugin does not come up on null NICs");
  const auto verbs = asked<long()>(verbs_, "null_control_calls");
  alignas(16) char handle[nccl::kNetHandleBytes] = {};
  if (Status s = checked("listen", [&] { return net_->listen(context_, device_, handle, &listen_); }); !s.ok())
    return s;
  const auto turn = [&](void** comm, const char* name, auto&& call) {
    if (*comm) return Status();
    const long before = verbs();
    Status made = checked(name, call);
    mostVerbs_ = std::max(mostVerbs_, verbs() - before);
    return made;
  };
  for (int i = 0; i < 100'000 && !(send_ && recv_); i++) {
    if (Status s = turn(&send_, "connect", [&] { return net_->connect(context_, device_, handle, &send_, nullptr); });
        !s.ok())
      return s;
    if (Status s = turn(&recv_, "accept", [&] { return net_->accept(listen_, &recv_, nullptr); }); !s.ok()) return s;
  }
  return send_ && recv_ ? Status() : Status::error("it does not connect");
}

Status PluginPair::enroll(size_t bytes) {
  out_.resize(bytes), in_.resize(bytes);
  if (Status s = checked("regMr", [&] { return net_->regMr(send_, out_.data(), bytes, nccl::kPtrHost, &sendKey_); });
      !s.ok())
    return s;
  return checked("regMr", [&] { return net_->regMr(recv_, in_.data(), bytes, nccl::kPtrHost, &recvKey_); });
}

// While the control thread looks after a comm, its calls turn back with nothing done: they are made again.
// The plugin may say "not now" while its control thread looks after the connection.
template <typename Done, typename Call>
bool PluginPair::again(const char* name, Done&& done, Call&& call) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (;;) {
    {
      const Scope scope(running_, name);
      if (call() != NcclResult::kSuccess) return false;
    }
    if (done()) return true;
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
}

bool PluginPair::finish(unsigned flight, size_t size) {
  int sent = 0, received = 0, bytes = 0;
  const auto both = [&] {
    const NcclResult one = sent ? NcclResult::kSuccess : counted_test(sends_[flight], &sent, nullptr);
    return one != NcclResult::kSuccess || received ? one : counted_test(receives_[flight], &received, &bytes);
  };
  return again(
             "test", [&] { return sent && received; }, both) &&
         static_cast<size_t>(bytes) == size;
}

bool PluginPair::move(unsigned messages, unsigned inFlight, size_t size) {
  int tag = 3;
  void* to = in_.data();
  for (unsigned i = 0; i < messages; i += inFlight) {
    for (unsigned j = 0; j < inFlight; j++) {
      receives_[j] = sends_[j] = nullptr;
      if (!again(
              "irecv", [&] { return receives_[j] != nullptr; },
              [&] { return counted_irecv(recv_, 1, &to, &size, &tag, &recvKey_, nullptr, &receives_[j]); }))
        return false;
    }
    for (unsigned j = 0; j < inFlight; j++)
      if (!again(
              "isend", [&] { return sends_[j] != nullptr; },
              [&] { return counted_isend(send_, out_.data(), size, tag, sendKey_, nullptr, &sends_[j]); }))
        return false;
    for (unsigned j = 0; j < inFlight; j++)
      if (!finish(j, size)) return false;
  }
  return true;
}

Status PluginPair::event(int rail, int type) {
  asked<void(int, int)>(verbs_, "null_raise")(rail, type);
  const auto pending = asked<int()>(verbs_, "null_pending_events");
  for (int i = 0; i < 5000; i++) {
    if (pending() == 0) return {};
    usleep(1000);
  }
  return Status::error("the plugin does not take an event");
}

Status PluginPair::close() {
  Status all;
  const auto end = [&](void** what, const char* name, auto&& call) {
    if (*what)
      if (const Status s = checked(name, call); !s.ok() && all.ok()) all = s;
    *what = nullptr;
  };
  end(&sendKey_, "deregMr", [&] { return net_->deregMr(send_, sendKey_); });
  end(&recvKey_, "deregMr", [&] { return net_->deregMr(recv_, recvKey_); });
  end(&send_, "closeSend", [&] { return net_->closeSend(send_); });
  end(&recv_, "closeRecv", [&] { return net_->closeRecv(recv_); });
  end(&listen_, "closeListen", [&] { return net_->closeListen(listen_); });
  return all;
}

}  // namespace polyrail::contract
