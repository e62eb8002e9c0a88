// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "test/contract/plugins/reference_net/comm.h"

namespace reference {

using polyrail::nccl::Result;

Request* SendComm::freeRequest() {
  for (Request& r : requests_)
    if (r.comm == nullptr) return &r;
  return nullptr;
}

Result SendComm::send(const char* data, size_t size, int tag, Request** request) {
  if (!readRecords()) return Result::kRemoteError;
  const auto grant = std::find_if(grants_.begin(), grants_.end(), [&](const Record& g) { return g.tag == tag; });
  Request* r = grant == grants_.end() ? nullptr : freeRequest();
  *request = r;
  if (r == nullptr) return Result::kSuccess;
  if (size > grant->capacity) return Result::kInvalidUsage;
  *r = {this, false, 1, 0, {static_cast<int>(size)}};
  queue_.push_back({{grant->group, grant->member, size}, data, 0, r});
  grants_.erase(grant);
  return writeMessages() ? Result::kSuccess : Result::kRemoteError;
}

Result SendComm::progress() { return readRecords() && writeMessages() ? Result::kSuccess : Result::kRemoteError; }

void SendComm::take(const Record& record) {
  if (record.kind == Record::kGrant) return grants_.push_back(record);
  const auto sent = std::find_if(unacked_.begin(), unacked_.end(), [&](const Message& m) {
    return m.header.group == record.group && m.header.member == record.member;
  });
  if (sent == unacked_.end()) return;
  sent->request->done = true;
  unacked_.erase(sent);
}

bool SendComm::readRecords() {
  for (;;) {
    if (!stream.readSome(&incoming_, sizeof(incoming_), &incomingBytes_)) return false;
    if (incomingBytes_ < sizeof(incoming_)) return true;
    incomingBytes_ = 0;
    take(incoming_);
  }
}

bool SendComm::writeMessages() {
  while (!queue_.empty()) {
    Message& m = queue_.front();
    const size_t head = sizeof(Header);
    if (m.written < head && !stream.writeSome(&m.header, head, &m.written)) return false;
    if (m.written < head) return true;
    size_t body = m.written - head;
    if (!stream.writeSome(m.data, m.header.size, &body)) return false;
    m.written = head + body;
    if (body < m.header.size) return true;
    unacked_.push_back(m);
    queue_.pop_front();
  }
  return true;
}

}  // namespace reference
