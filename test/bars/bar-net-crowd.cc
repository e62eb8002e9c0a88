// SPDX-License-Identifier: Apache-2.0
// 1,024 peers x 2 channels through the plugin that ships: one process with 2,048 connections in flight and open at
// once, both ends, real sockets, emulated NICs in real time. First with enough of everything; then with NICs, locked
// memory or open files that do not suffice. What cannot be served ends in a system error and one line that names the
// remedy, and what was connected before goes on working. Each case is a process of its own: this program again.
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <utility>
#include <vector>

#include "common/nccl/net_abi.h"
#include "test/contract/host/child.h"
#include "test/contract/host/log_sink.h"

using namespace polyrail;
using namespace polyrail::contract;

namespace {

constexpr int kConnections = 1024 * 2;
constexpr int kAtOnce = 64;  // handshakes under way, as many peers start together
constexpr nccl::Result kSuccess = nccl::Result::kSuccess;

std::string built(const char* file) {
  const char* build = std::getenv("POLYRAIL_BUILD");
  return std::string(build ? build : "build/release") + "/" + file;
}

struct Connection {
  alignas(16) char handle[nccl::kNetHandleBytes] = {};
  void *listen = nullptr, *send = nullptr, *receive = nullptr;
};

// One process that is all peers at once.
class Crowd {
 public:
  Crowd() {
    void* library = dlopen(built("libnccl-net-polyrail.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    net_ = library ? static_cast<const nccl::NetV12*>(dlsym(library, "ncclNetPlugin_v12")) : nullptr;
    nccl::NetCommConfig config{nccl::kNetUndefined};
    nccl::NetVDevicePropsV12 both{2, {0, 1}};
    up_ = net_ && net_->init(&context_, 1, &config, log_.function(), nullptr) == kSuccess &&
          net_->makeVDevice(&device_, &both) == kSuccess;
  }

  void connectAll() {
    for (int i = 0; up_ && result_ == kSuccess && i < kConnections; i += kAtOnce) connectSome();
  }
  // A message on the first and on the last connection: trouble of others must not touch them.
  bool works() {
    if (all_.empty() || !all_[0]->receive) return false;
    Connection* last = nullptr;
    for (const auto& c : all_)
      if (c->send && c->receive) last = c.get();
    return moves(*all_[0]) && moves(*last);
  }
  void closeAll() {
    for (const auto& c : all_) {
      if (c->send) net_->closeSend(c->send);
      if (c->receive) net_->closeRecv(c->receive);
      if (c->listen) net_->closeListen(c->listen);
    }
    all_.clear();
    if (up_) net_->finalize(context_);
  }
  int whole() const {
    int n = 0;
    for (const auto& c : all_) n += c->send && c->receive;
    return n;
  }
  nccl::Result result() const { return result_; }
  const LogSink& log() const { return log_; }

 private:
  void connectSome() {
    const size_t first = all_.size();
    for (int i = 0; i < kAtOnce; i++) {
      all_.push_back(std::make_unique<Connection>());
      note(net_->listen(context_, device_, all_.back()->handle, &all_.back()->listen));
    }
    bool open = true;
    while (open && result_ == kSuccess) {
      open = false;
      for (size_t i = first; i < all_.size() && result_ == kSuccess; i++) open |= turn(*all_[i]);
    }
  }
  bool turn(Connection& c) {
    if (!c.send) note(net_->connect(context_, device_, c.handle, &c.send, nullptr));
    if (!c.receive && result_ == kSuccess) note(net_->accept(c.listen, &c.receive, nullptr));
    if (c.receive && c.listen) note(net_->closeListen(std::exchange(c.listen, nullptr)));
    return !c.send || !c.receive;
  }
  bool moves(Connection& c) {
    char out[256], in[256] = {};
    std::memset(out, 7, sizeof out);
    void *sendKey, *receiveKey, *sending = nullptr, *receiving = nullptr, *to = in;
    size_t size = sizeof in;
    int tag = 0, sent = 0, received = 0;
    if (net_->regMr(c.send, out, sizeof out, nccl::kPtrHost, &sendKey) != kSuccess ||
        net_->regMr(c.receive, in, sizeof in, nccl::kPtrHost, &receiveKey) != kSuccess)
      return false;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!(sent && received) && std::chrono::steady_clock::now() < end) {
      if (!receiving) net_->irecv(c.receive, 1, &to, &size, &tag, &receiveKey, nullptr, &receiving);
      if (!sending) net_->isend(c.send, out, sizeof out, tag, sendKey, nullptr, &sending);
      if (sending && !sent && net_->test(sending, &sent, nullptr) != kSuccess) return false;
      if (receiving && !received && net_->test(receiving, &received, nullptr) != kSuccess) return false;
    }
    net_->deregMr(c.send, sendKey);
    net_->deregMr(c.receive, receiveKey);
    return sent && received && std::memcmp(in, out, sizeof in) == 0;
  }
  void note(nccl::Result result) {
    if (result_ == kSuccess) result_ = result;
  }

  LogSink log_;
  const nccl::NetV12* net_ = nullptr;
  void* context_ = nullptr;
  int device_ = 0;
  bool up_ = false;
  nccl::Result result_ = kSuccess;
  std::vector<std::unique_ptr<Connection>> all_;
};

int objectsLeft() {
  void* verbs = dlopen(built("emu/libibverbs.so.1").c_str(), RTLD_NOW | RTLD_NOLOAD);
  auto* count = verbs ? reinterpret_cast<int (*)(char*, size_t)>(dlsym(verbs, "emu_objects")) : nullptr;
  char text[256] = "";
  return count ? count(text, sizeof text) : -1;
}

struct Case {
  const char* name;
  const char* limits;  // of each NIC, JSON
  const char* queuePairs;
  rlim_t files;   // 0: as they are
  bool whole;     // everything connects
  int mostLines;  // warnings
  const char* remedy;
};
// In this one process both ends say what they lack; each NIC warns when half is used; a receiving end takes one more
// queue pair on each NIC for flushes.
constexpr Case kCases[] = {
    {"enough", "{}", "1", 0, true, 0, ""},
    {"narrower", "{\"max_qp\": 9000}", "2", 0, true, 2, "NCCL_IB_QPS_PER_CONNECTION"},
    {"queue-pairs", "{\"max_qp\": 3000}", "1", 0, false, 4, "NCCL_NCHANNELS_PER_NET_PEER"},
    {"memlock", "{\"memlock\": 33554432}", "1", 0, false, 2, "ulimit -l"},
    {"files", "{}", "1", 1000, false, 2, "ulimit -n"},
};

int child(const Case& c) {
  setenv("NCCL_IBVERBS_LIB", built("emu/libibverbs.so.1").c_str(), 1);
  setenv("NCCL_SOCKET_IFNAME", "lo", 1);
  setenv("NCCL_NET_MERGE_LEVEL", "SYS", 1);
  setenv("NCCL_IB_QPS_PER_CONNECTION", c.queuePairs, 1);
  setenv("EMU_SESSION", fmt::format("crowd-{}", getpid()).c_str(), 1);
  const std::string fabric = fmt::format("/tmp/polyrail-crowd-{}.json", getpid());
  std::ofstream(fabric) << "{\"defaults\": {\"limits\": " << c.limits << "}, \"hosts\": [{\"name\": \"a\", \"nics\": "
                        << "[{\"name\": \"emu0\", \"address\": \"10.0.0.1/24\"}, {\"name\": \"emu1\", \"address\": "
                        << "\"10.0.1.1/24\"}]}]}";
  setenv("EMU_FABRIC", fabric.c_str(), 1);
  if (c.files) {
    const rlimit limit{c.files, c.files};
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  Crowd crowd;
  crowd.connectAll();
  unlink(fabric.c_str());
  const bool works = crowd.works();
  const int connected = crowd.whole();
  crowd.closeAll();
  const size_t lines = crowd.log().count(nccl::LogLevel::kWarn);
  std::string last;
  for (const LogLine& line : crowd.log().lines())
    if (line.level == nccl::LogLevel::kWarn) last = line.text;
  fmt::print("{} {} {} {} {}\n{}\n", connected, static_cast<int>(crowd.result()), works, lines, objectsLeft(), last);
  return 0;
}

void judge(const char* self, const Case& c) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::string> environment;
  for (char** e = environ; *e; e++) environment.emplace_back(*e);
  const ChildResult ran = runProgram({{self, c.name}, environment, ""}, std::chrono::seconds(120));
  int connected = 0, result = -1, works = 0, left = -1;
  unsigned lines = 0;
  char works_[8] = "", said[1100] = "";
  const int read = std::sscanf(ran.output.c_str(), "%d %d %7s %u %d\n%1099[^\n]", &connected, &result, works_, &lines,
                               &left, said);
  works = std::strcmp(works_, "true") == 0;
  const bool ended = c.whole ? connected == kConnections && result == 0
                             : connected > 0 && (result == static_cast<int>(nccl::Result::kSystemError) ||
                                                 result == static_cast<int>(nccl::Result::kInvalidUsage));
  const bool holds = ran.ok() && read >= 5 && ended && works && left == 0 &&
                     lines <= static_cast<unsigned>(c.mostLines) && std::strstr(said, c.remedy);
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  fmt::print("BAR net-crowd-{} {} {}{} {} in {:.1f}s, {} warnings, result {}, {} objects left{} {}\n", c.name,
             connected, c.whole ? "" : "<", kConnections, holds ? "holds" : "falls-short", took, lines, result, left,
             works ? "" : ", what was connected is broken", ran.ok() ? said : ran.output.c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  for (const Case& c : kCases) {
    if (argc == 2 && std::strcmp(argv[1], c.name) == 0) return child(c);
    if (argc == 1) judge("/proc/self/exe", c);
  }
}
