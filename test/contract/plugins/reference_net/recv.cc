// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "test/contract/plugins/reference_net/comm.h"

namespace reference {

using polyrail::nccl::Result;

namespace {
constexpr size_t kLine = 128;
}

Result RecvComm::receive(int n, void** data, const size_t* sizes, const int* tags, Request** request) {
  Group* group = nullptr;
  for (Group& g : groups_)
    if (g.request.comm == nullptr) {
      group = &g;
      break;
    }
  *request = group ? &group->request : nullptr;
  if (group == nullptr) return Result::kSuccess;
  group->request = {this, false, n, 0, {}};
  const auto index = static_cast<uint32_t>(group - groups_);
  for (int i = 0; i < n; i++) {
    group->data[i] = static_cast<char*>(data[i]);
    group->capacity[i] = sizes[i];
    const Record grant = {Record::kGrant, index, static_cast<uint32_t>(i), tags[i], sizes[i]};
    const char* bytes = reinterpret_cast<const char*>(&grant);
    outgoing_.insert(outgoing_.end(), bytes, bytes + sizeof(grant));
  }
  return writeRecords() ? Result::kSuccess : Result::kRemoteError;
}

Result RecvComm::progress() {
  if (late_) *late_ = 'x', late_ = nullptr;
  if (heldBackTo_) std::memcpy(heldBackTo_, heldBack_.data(), heldBack_.size()), heldBackTo_ = nullptr;
  return writeRecords() && readMessages() && writeRecords() ? Result::kSuccess : Result::kRemoteError;
}

bool RecvComm::writeRecords() {
  if (!stream.writeSome(outgoing_.data(), outgoing_.size(), &outgoingDone_)) return false;
  if (outgoingDone_ == outgoing_.size()) outgoing_.clear(), outgoingDone_ = 0;
  return true;
}

bool RecvComm::readBody() {
  char* to = groups_[header_.group].data[header_.member];
  char* last = header_.size > 2 && defect("lost-byte") ? to + header_.size - 1 : nullptr;
  const char kept = last ? *last : 0;
  const bool alive = stream.readSome(to, header_.size, &bodyBytes_);
  if (last) *last = kept;
  return alive;
}

bool RecvComm::readMessages() {
  for (;;) {
    if (!stream.readSome(&header_, sizeof(header_), &headerBytes_)) return false;
    if (headerBytes_ < sizeof(header_)) return true;
    if (!readBody()) return false;
    if (bodyBytes_ < header_.size) return true;
    arrived();
    headerBytes_ = bodyBytes_ = 0;
  }
}

// A message is whole: acknowledge it and count it.
void RecvComm::arrived() {
  Group& g = groups_[header_.group];
  char* data = g.data[header_.member];
  const size_t size = header_.size;
  if (size == 0 && defect("zero-never")) return;
  if (size > 0 && size < g.capacity[header_.member] && defect("overrun")) data[size] = 'x';
  if (size >= 2 * kLine && defect("torn-line")) {  // all but the front half of the first line comes first
    heldBack_.assign(data, data + kLine / 2);
    heldBackTo_ = data;
    std::memset(data, 0, kLine / 2);
  }
  g.request.sizes[header_.member] = static_cast<int>(defect("wrong-size") ? g.capacity[header_.member] : size);
  g.request.done = ++g.request.arrived == g.request.members;
  const Record ack = {Record::kAck, header_.group, header_.member, 0, 0};
  const char* bytes = reinterpret_cast<const char*>(&ack);
  outgoing_.insert(outgoing_.end(), bytes, bytes + sizeof(ack));
}

void RecvComm::finish(Request* request, int* sizes) {
  if (sizes)
    for (int i = 0; i < request->members; i++) sizes[i] = request->sizes[i];
  Group& g = groups_[reinterpret_cast<Group*>(request) - groups_];
  if (defect("late-write")) late_ = g.data[0];
  request->comm = nullptr;
  if (++finished_ % 5 != 0 || !defect("double-completion")) return;
  for (Group& other : groups_)
    if (other.request.comm) {
      other.request.done = true;
      return;
    }
}

}  // namespace reference
