// SPDX-License-Identifier: Apache-2.0
#include "net/wire/fields.h"

namespace polyrail::net {
namespace {

constexpr uint32_t kMax24Bits = 0xffffff;
constexpr uint8_t kMinMtu = 1, kMaxMtu = 5;  // enum ibv_mtu

}  // namespace

std::vector<uint8_t> frame(MessageType type, const Writer& body, uint32_t epoch) {
  Writer out;
  out.number(static_cast<uint32_t>(body.bytes().size()));
  out.number(static_cast<uint16_t>(type));
  out.number(uint16_t{0});
  out.number(epoch);
  std::vector<uint8_t> bytes = out.take();
  bytes.insert(bytes.end(), body.bytes().begin(), body.bytes().end());
  return bytes;
}

void put(Writer& w, const Region& r) {
  w.number(r.address);
  w.number(r.rkey);
}

Region readRegion(Reader& r) {
  Region region;
  region.address = r.number<uint64_t>();
  region.rkey = r.number<uint32_t>();
  return region;
}

void put(Writer& w, const RailInfo& rail) {
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

void put(Writer& w, const std::vector<RailInfo>& rails) {
  w.number(static_cast<uint8_t>(rails.size()));
  for (const RailInfo& rail : rails) put(w, rail);
}

RailInfo readRail(Reader& r) {
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

std::vector<RailInfo> readRails(Reader& r, size_t least, size_t most) {
  std::vector<RailInfo> all(r.count(most));
  for (RailInfo& one : all) one = readRail(r);
  if (all.size() < least) r.fail();
  return all;
}

void put(Writer& w, const PathEnd& p) {
  w.number(p.senderRail);
  w.number(p.receiverRail);
  w.number(p.queuePair);
  w.number(p.firstPsn);
  put(w, p.grants);
  put(w, p.mailbox);
  w.number(p.postedReceives);
  for (const uint32_t part : {p.ece.vendor, p.ece.options, p.ece.valid}) w.number(part);
}

void put(Writer& w, const std::vector<PathEnd>& paths) {
  w.number(static_cast<uint8_t>(paths.size()));
  for (const PathEnd& p : paths) put(w, p);
}

PathEnd readPathEnd(Reader& r) {
  PathEnd p;
  p.senderRail = r.number<uint8_t>();
  p.receiverRail = r.number<uint8_t>();
  p.queuePair = r.number<uint32_t>();
  p.firstPsn = r.number<uint32_t>();
  if (p.senderRail >= kMaxRails || p.receiverRail >= kMaxRails || p.queuePair > kMax24Bits || p.firstPsn > kMax24Bits)
    r.fail();
  p.grants = readRegion(r);
  p.mailbox = readRegion(r);
  p.postedReceives = r.number<uint32_t>();
  for (uint32_t* part : {&p.ece.vendor, &p.ece.options, &p.ece.valid}) *part = r.number<uint32_t>();
  return p;
}

std::vector<PathEnd> readPathEnds(Reader& r) {
  std::vector<PathEnd> all(r.count(kMaxPaths));
  for (PathEnd& one : all) one = readPathEnd(r);
  if (all.empty()) r.fail();
  return all;
}

}  // namespace polyrail::net
