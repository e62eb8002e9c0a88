// SPDX-License-Identifier: Apache-2.0
#include "net/wire/message.h"

#include "net/wire/fields.h"

namespace polyrail::net {
namespace {

constexpr uint32_t kMagic = 0x314c5250;  // "PRL1", first in HELLO: tells our protocol from a stranger's

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
  w.number(static_cast<uint16_t>(m.trafficClass));
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
  if (m.features & kFeatureStandby) put(w, m.standbys);
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
      type >= static_cast<uint16_t>(MessageType::kHello) && type <= static_cast<uint16_t>(MessageType::kAbort);
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
  m.trafficClass = static_cast<int16_t>(r.number<uint16_t>());
  if (m.trafficClass < -1 || m.trafficClass > 255) r.fail();
  m.rails = readRails(r);
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
  m.rails = readRails(r);
  m.paths = readPathEnds(r);
  if (!railsExist(m)) r.fail();
  if (m.features & kFeatureStandby) m.standbys = readRails(r, 0, kMaxRails - m.rails.size());
  return finish(r, std::move(m), "WELCOME");
}

Result<Refused> decodeRefused(std::span<const uint8_t> body) {
  Reader r(body);
  return finish(r, Refused{r.text()}, "REFUSED");
}

Result<Paths> decodePaths(std::span<const uint8_t> body) {
  Reader r(body);
  return finish(r, Paths{readPathEnds(r)}, "PATHS");
}

Result<Ready> decodeReady(std::span<const uint8_t> body) {
  Reader r(body);
  return finish(r, Ready{}, "READY");
}

}  // namespace polyrail::net
