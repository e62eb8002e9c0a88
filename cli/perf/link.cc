// SPDX-License-Identifier: Apache-2.0
#include "cli/perf/link.h"

#include <fmt/format.h>
#include <sched.h>

#include "cli/perf/patience.h"

namespace polyrail::cli {
namespace {

Status failed(const char* call, nccl::Result result) {
  return Status::error(fmt::format("the plugin's {} returned {}", call, resultText(result)));
}

std::string hex(const char* bytes, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; i++) text += fmt::format("{:02x}", static_cast<unsigned char>(bytes[i]));
  return text;
}

bool unhex(const std::string& text, char* bytes, size_t count) {
  if (text.size() != 2 * count || text.find_first_not_of("0123456789abcdef") != text.npos) return false;
  for (size_t i = 0; i < count; i++) bytes[i] = static_cast<char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  return true;
}

}  // namespace

Result<std::unique_ptr<PerfLink>> PerfLink::open(const PerfPlugin& plugin, const PerfDevice& device, Control& control,
                                                 double patience) {
  std::unique_ptr<PerfLink> link(new PerfLink(plugin, device));
  if (const Status s = link->exchange(control, patience); !s.ok()) return s;
  if (const Status s = link->join(control, patience); !s.ok()) return s;
  return link;
}

PerfLink::~PerfLink() {
  const nccl::NetV12& calls = plugin_.calls();
  if (send_) calls.closeSend(send_);
  if (recv_) calls.closeRecv(recv_);
  if (listen_) calls.closeListen(listen_);
}

Status PerfLink::exchange(Control& control, double patience) {
  char own[nccl::kNetHandleBytes] = {};
  const nccl::Result result = plugin_.calls().listen(plugin_.context(), device_.index, own, &listen_);
  if (result != nccl::Result::kSuccess) return failed("listen", result);
  if (Status s = control.send({{"handle", hex(own, sizeof own)}, {"device", device_.name}}); !s.ok()) return s;
  const Result<nlohmann::ordered_json> peer = control.receive(patience);
  if (!peer.ok()) return peer.status();
  peerDevice_ = peer.value().value("device", "?");
  if (unhex(peer.value().value("handle", ""), handle_, sizeof handle_)) return {};
  return Status::error("the other end sent no handle of NCCL's");
}

Status PerfLink::join(Control& control, double patience) {
  Patience waiting(control, patience);
  while (!send_ || !recv_) {
    if (const Status s = step(); !s.ok()) return s;
    if (const Status s = waiting.idle(); !s.ok()) return Status::error("connecting: " + s.message());
  }
  plugin_.calls().closeListen(std::exchange(listen_, nullptr));
  return {};
}

Status PerfLink::step() {
  const nccl::NetV12& calls = plugin_.calls();
  nccl::NetDeviceHandle* none = nullptr;
  if (!send_)
    if (const auto r = calls.connect(plugin_.context(), device_.index, handle_, &send_, &none);
        r != nccl::Result::kSuccess)
      return failed("connect", r);
  if (!recv_)
    if (const auto r = calls.accept(listen_, &recv_, &none); r != nccl::Result::kSuccess) return failed("accept", r);
  return {};
}

}  // namespace polyrail::cli
