// SPDX-License-Identifier: Apache-2.0
#include "net/wire/message.h"

#include "net/wire/codec.h"

namespace polyrail::net {
namespace {

constexpr uint32_t kMagic = 0x314c5250;  // "PRL1", first in HELLO: tells our protocol from a stranger's
constexpr uint32_t kMax24Bits = 0xffffff;
constexpr uint8_t kMinMtu = 1, kMaxMtu = 5;  // enum ibv_mtu

std::vector<uint8_t> frame(MessageType type, const Writer& body) {
  Writer out;
  out.number(static_cast<uint32_t>(body.bytes().size()));
  out.number(static_cast<uint16_t>(type));
  out.number(uint16_t{0});
  out.number(uint32_t{0});  // epoch: the handshake is before the first
  std::vector<uint8_t> bytes = out.take();
  bytes.insert(bytes.end(), body.bytes().begin(), body.bytes().end());
  return bytes;
}

void put(Writer& w, const Region& r) {
  w.number(r.address);
  w.number(r.rkey);
}

Region region(Reader& r) {
  Region region;
  region.address = r.number<uint64_t>();
  region.rkey = r.number<uint32_t>();
  return region;
}

void put(Writer& w, const std::vector<RailInfo>& rails) {
  w.number(static_cast<uint8_t>(rails.size()));
  for (const RailInfo& rail : rails) {
    w.number(rail.guid);
    w.raw(rail.gid);
    w.number(rail.lid);
    w.number(static_cast<uint8_t>(rail.link));
    w.number(rail.mtu);
    w.number(rail.speedMbps);
    w.number(rail.rail);
    w.number(rail.plane);
    w.text(rail.name);
  }
}

RailInfo rail(Reader& r) {
  RailInfo rail;
  rail.guid = r.number<uint64_t>();
  rail.gid = r.raw<16>();
  rail.lid = r.number<uint16_t>();
  const uint8_t link = r.number<uint8_t>();
  rail.link = link == 0 ? LinkLayer::kInfiniBand : LinkLayer::kEthernet;
  rail.mtu = r.number<uint8_t>();
  if (link > 1 || rail.mtu < kMinMtu || rail.mtu > kMaxMtu) r.fail();
  rail.speedMbps = r.number<uint32_t>();
  rail.rail = r.number<int16_t>();
  rail.plane = r.number<int16_t>();
  rail.name = r.text();
  return rail;
}

std::vector<RailInfo> rails(Reader& r) {
  std::vector<RailInfo> all(r.count(kMaxRails));
  for (RailInfo& one : all) one = rail(r);
  if (all.empty()) r.fail();
  return all;
}

void put(Writer& w, const std::vector<PathEnd>& paths) {
  w.number(static_cast<uint8_t>(paths.size()));
  for (const PathEnd& p : paths) {
    w.number(p.senderRail);
    w.number(p.receiverRail);
    w.number(p.queuePair);
    w.number(p.firstPsn);
    put(w, p.grants);
    put(w, p.mailbox);
    w.number(p.postedReceives);
    for (const uint32_t part : {p.ece.vendor, p.ece.options, p.ece.valid}) w.number(part);
  }
}

PathEnd pathEnd(Reader& r) {
  PathEnd p;
  p.senderRail = r.number<uint8_t>();
  p.receiverRail = r.number<uint8_t>();
  p.queuePair = r.number<uint32_t>();
  p.firstPsn = r.number<uint32_t>();
  if (p.senderRail >= kMaxRails || p.receiverRail >= kMaxRails || p.queuePair > kMax24Bits || p.firstPsn > kMax24Bits)
    r.fail();
  p.grants = region(r);
  p.mailbox = region(r);
  p.postedReceives = r.number<uint32_t>();
  for (uint32_t* part : {&p.ece.vendor, &p.ece.options, &p.ece.valid}) *part = r.number<uint32_t>();
  return p;
}

std::vector<PathEnd> paths(Reader& r) {
  std::vector<PathEnd> all(r.count(kMaxPaths));
  for (PathEnd& one : all) one = pathEnd(r);
  if (all.empty()) r.fail();
  return all;
}

template <typename Message>
Result<Message> finish(const Reader& r, Message message, const char* name) {
  if (!r.complete()) return Status::error(std::string("malformed ") + name);
  return message;
}

// A path that names a rail its own message does not have would index past the end later.
bool railsExist(const Welcome& m) {
  for (const PathEnd& p : m.paths)
    if (p.receiverRail >= m.rails.size()) return false;
  return true;
}

}  // namespace

std::vector<uint8_t> encode(const Hello& m) {
  Writer w;
  w.number(kMagic);
  w.raw(m.secret);
  w.number(m.lowest);
  w.number(m.highest);
  w.number(m.features);
  w.raw(m.policy);
  for (const std::string* s : {&m.tunerPlugin, &m.algo, &m.proto, &m.host}) w.text(*s);
  w.number(m.process);
  put(w, m.rails);
  return frame(MessageType::kHello, w);
}

std::vector<uint8_t> encode(const Welcome& m) {
  Writer w;
  w.number(m.version);
  w.number(m.features);
  w.raw(m.policy);
  for (const std::string* s : {&m.tunerPlugin, &m.algo, &m.proto, &m.host}) w.text(*s);
  w.number(m.process);
  put(w, m.rails);
  put(w, m.paths);
  return frame(MessageType::kWelcome, w);
}

std::vector<uint8_t> encode(const Refused& m) {
  Writer w;
  w.text(m.reason);
  return frame(MessageType::kRefused, w);
}

std::vector<uint8_t> encode(const Paths& m) {
  Writer w;
  put(w, m.paths);
  return frame(MessageType::kPaths, w);
}

std::vector<uint8_t> encode(const Ready&) {
  Writer w;
  return frame(MessageType::kReady, w);
}

std::vector<uint8_t> encodeGoodbye() { return frame(MessageType::kGoodbye, Writer{}); }

Result<Frame> decodeFrame(std::span<const uint8_t> header) {
  Reader r(header);
  Frame f;
  f.bodyBytes = r.number<uint32_t>();
  const uint16_t type = r.number<uint16_t>();
  const uint16_t reserved = r.number<uint16_t>();
  f.epoch = r.number<uint32_t>();
  f.type = static_cast<MessageType>(type);
  const bool known =
      type >= static_cast<uint16_t>(MessageType::kHello) && type <= static_cast<uint16_t>(MessageType::kGoodbye);
  if (!r.complete() || !known || reserved != 0 || f.bodyBytes > kMaxFrame - kFrameHeader)
    return Status::error("not a polyrail message; something else speaks on this port");
  return f;
}

Result<Hello> decodeHello(std::span<const uint8_t> body) {
  Reader r(body);
  Hello m;
  if (r.number<uint32_t>() != kMagic)
    return Status::error("not a polyrail HELLO; something else speaks on this port");
  m.secret = r.raw<16>();
  m.lowest = r.number<uint16_t>();
  m.highest = r.number<uint16_t>();
  if (m.lowest > m.highest) r.fail();
  m.features = r.number<uint64_t>();
  m.policy = r.raw<32>();
  for (std::string* s : {&m.tunerPlugin, &m.algo, &m.proto, &m.host}) *s = r.text();
  m.process = r.number<uint32_t>();
  m.rails = rails(r);
  return finish(r, std::move(m), "HELLO");
}

Result<Welcome> decodeWelcome(std::span<const uint8_t> body) {
  Reader r(body);
  Welcome m;
  m.version = r.number<uint16_t>();
  m.features = r.number<uint64_t>();
  m.policy = r.raw<32>();
  for (std::string* s : {&m.tunerPlugin, &m.algo, &m.proto, &m.host}) *s = r.text();
  m.process = r.number<uint32_t>();
  m.rails = rails(r);
  m.paths = paths(r);
  if (!railsExist(m)) r.fail();
  return finish(r, std::move(m), "WELCOME");
}

Result<Refused> decodeRefused(std::span<const uint8_t> body) {
  Reader r(body);
  return finish(r, Refused{r.text()}, "REFUSED");
}

Result<Paths> decodePaths(std::span<const uint8_t> body) {
  Reader r(body);
  return finish(r, Paths{paths(r)}, "PATHS");
}

Result<Ready> decodeReady(std::span<const uint8_t> body) {
  Reader r(body);
  return finish(r, Ready{}, "READY");
}

}  // namespace polyrail::net
