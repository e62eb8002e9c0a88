// SPDX-License-Identifier: Apache-2.0
#include "test/contract/plugins/reference_net/comm.h"

namespace reference {

using polyrail::nccl::Result;

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
  return writeRecords() && readMessages() && writeRecords() ? Result::kSuccess : Result::kRemoteError;
}

bool RecvComm::writeRecords() {
  if (!stream.writeSome(outgoing_.data(), outgoing_.size(), &outgoingDone_)) return false;
  if (outgoingDone_ == outgoing_.size()) outgoing_.clear(), outgoingDone_ = 0;
  return true;
}

bool RecvComm::readMessages() {
  for (;;) {
    if (!stream.readSome(&header_, sizeof(header_), &headerBytes_)) return false;
    if (headerBytes_ < sizeof(header_)) return true;
    if (!stream.readSome(groups_[header_.group].data[header_.member], header_.size, &bodyBytes_)) return false;
    if (bodyBytes_ < header_.size) return true;
    arrived();
    headerBytes_ = bodyBytes_ = 0;
  }
}

// A message is whole: acknowledge it and count it.
void RecvComm::arrived() {
  Group& g = groups_[header_.group];
  g.request.sizes[header_.member] = static_cast<int>(header_.size);
  g.request.done = ++g.request.arrived == g.request.members;
  const Record ack = {Record::kAck, header_.group, header_.member, 0, 0};
  const char* bytes = reinterpret_cast<const char*>(&ack);
  outgoing_.insert(outgoing_.end(), bytes, bytes + sizeof(ack));
}

void RecvComm::finish(Request* request, int* sizes) {
  for (int i = 0; sizes && i < request->members; i++) sizes[i] = request->sizes[i];
  request->comm = nullptr;
}

}  // namespace reference
