// SPDX-License-Identifier: Apache-2.0
// What several messages are made of, to bytes and back: shared by the handshake's (message.h) and the repair's
// (repair.h). A reader that meets a wrong value turns bad, as codec.h says. Any thread.
#pragma once

#include "net/wire/codec.h"
#include "net/wire/message.h"

namespace polyrail::net {

// Header and body.
std::vector<uint8_t> frame(MessageType type, const Writer& body, uint32_t epoch = 0);

void put(Writer& w, const Region& r);
void put(Writer& w, const RailInfo& rail);
void put(Writer& w, const std::vector<RailInfo>& rails);
void put(Writer& w, const PathEnd& p);
void put(Writer& w, const std::vector<PathEnd>& paths);

Region readRegion(Reader& r);
RailInfo readRail(Reader& r);
std::vector<RailInfo> readRails(Reader& r, size_t least = 1, size_t most = kMaxRails);
PathEnd readPathEnd(Reader& r);
std::vector<PathEnd> readPathEnds(Reader& r);  // 1..kMaxPaths

template <typename Message>
Result<Message> finish(const Reader& r, Message message, const char* name) {
  if (!r.complete()) return Status::error(std::string("malformed ") + name);
  return message;
}

}  // namespace polyrail::net
