// SPDX-License-Identifier: Apache-2.0
#include "net/plugin/comm_end.h"

#include <algorithm>

namespace polyrail::net {

CommEnd::CommEnd(Library& library, Parts parts)
    : library_(library), parts_(std::move(parts)), profile_(parts_.profile, parts_.device) {
  comm().setOwner(this);
  library_.endMade();
  library_.ends().add(this);
}

Result<std::unique_ptr<CommEnd>> CommEnd::create(Library& library, Parts parts) {
  std::unique_ptr<CommEnd> end(new CommEnd(library, std::move(parts)));
  if (const Status s = library.reactor().watch(end->parts_.channel.descriptor(), end.get()); !s.ok()) return s;
  return end;
}

CommEnd::~CommEnd() {
  library_.ends().remove(this);
  library_.reactor().forget(parts_.channel.descriptor());
  parts_.channel.send(encodeGoodbye());
  (void)parts_.channel.pump();  // a few bytes: they go at once, or the peer is gone
  library_.endGone();
}

bool CommEnd::uses(const OpenDevice& device) const {
  return std::any_of(parts_.rails.begin(), parts_.rails.end(),
                     [&](const MemoryRail& rail) { return rail.device.get() == &device; });
}

void CommEnd::sayError() {
  if (said_) return;
  said_ = true;
  log().warn("%s [peer: %s]", comm().error().c_str(), parts_.peer.c_str());
}

void CommEnd::ready() {
  for (;;) {
    const Result<std::optional<Message>> received = parts_.channel.receive();
    if (!received.ok()) return comm().peerIs(Comm::Peer::kLost);
    if (!received.value()) break;
    if (received.value()->frame.type == MessageType::kGoodbye) return comm().peerIs(Comm::Peer::kLeft);
  }
  if (parts_.channel.ended()) comm().peerIs(Comm::Peer::kLost);
}

}  // namespace polyrail::net
