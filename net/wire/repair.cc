// SPDX-License-Identifier: Apache-2.0
#include "net/wire/repair.h"

#include "net/wire/fields.h"

namespace polyrail::net {
namespace {

void put(Writer& w, const PathName& p) {
  w.number(p.path);
  w.number(p.incarnation);
}

PathName readName(Reader& r) {
  PathName p;
  p.path = r.number<uint8_t>();
  p.incarnation = r.number<uint16_t>();
  if (p.path >= kMaxCommPaths) r.fail();
  return p;
}

// Words of the bits up to the last that is not zero.
void put(Writer& w, const Fenced::Request& request) {
  uint8_t words = 0;
  for (uint8_t i = 0; i < request.arrived.size(); i++)
    if (request.arrived[i]) words = static_cast<uint8_t>(i + 1);
  if (request.done) words = 0;
  w.number(static_cast<uint8_t>(request.done ? 1 : 0));
  w.number(words);
  for (uint8_t i = 0; i < words; i++) w.number(request.arrived[i]);
}

Fenced::Request readRequest(Reader& r) {
  Fenced::Request request;
  const uint8_t done = r.number<uint8_t>();
  if (done > 1) r.fail();
  request.done = done;
  const size_t words = r.count(request.arrived.size());
  for (size_t i = 0; i < words; i++) request.arrived[i] = r.number<uint64_t>();
  if (words > 0 && (done || request.arrived[words - 1] == 0)) r.fail();  // there is one way to say it
  return request;
}

Fenced::Slot readSlot(Reader& r) {
  Fenced::Slot slot;
  slot.number = r.number<uint64_t>();
  slot.requests.resize(r.count(kGroup));
  for (Fenced::Request& request : slot.requests) request = readRequest(r);
  if (slot.requests.empty()) r.fail();
  return slot;
}

std::vector<uint8_t> encode(MessageType type, const NewPath& m) {
  Writer w;
  put(w, m.path);
  put(w, m.rail);
  put(w, m.end);
  return frame(type, w);
}

}  // namespace

std::vector<uint8_t> encode(const PathDown& m) {
  Writer w;
  put(w, m.path);
  w.text(m.why);
  return frame(MessageType::kPathDown, w);
}

std::vector<uint8_t> encode(const Fence& m) {
  Writer w;
  w.number(static_cast<uint8_t>(m.paths.size()));
  for (const PathName& p : m.paths) put(w, p);
  return frame(MessageType::kFence, w, m.epoch);
}

std::vector<uint8_t> encode(const Fenced& m) {
  Writer w;
  w.number(m.grantPath);
  w.number(static_cast<uint8_t>(m.slots.size()));
  for (const Fenced::Slot& slot : m.slots) {
    w.number(slot.number);
    w.number(static_cast<uint8_t>(slot.requests.size()));
    for (const Fenced::Request& request : slot.requests) put(w, request);
  }
  return frame(MessageType::kFenced, w, m.epoch);
}

std::vector<uint8_t> encodeMake(const NewPath& m) { return encode(MessageType::kMake, m); }
std::vector<uint8_t> encodeMade(const NewPath& m) { return encode(MessageType::kMade, m); }

std::vector<uint8_t> encode(const Prove& m) {
  Writer w;
  put(w, m.path);
  return frame(MessageType::kProve, w);
}

std::vector<uint8_t> encode(const Live& m) {
  Writer w;
  put(w, m.path);
  w.number(m.grantPath);
  return frame(MessageType::kLive, w);
}

std::vector<uint8_t> encode(const Abort& m) {
  Writer w;
  w.text(m.why);
  return frame(MessageType::kAbort, w);
}

Result<PathDown> decodePathDown(std::span<const uint8_t> body) {
  Reader r(body);
  PathDown m;
  m.path = readName(r);
  m.why = r.text();
  return finish(r, std::move(m), "PATH_DOWN");
}

Result<Fence> decodeFence(std::span<const uint8_t> body, uint32_t epoch) {
  Reader r(body);
  Fence m;
  m.epoch = epoch;
  m.paths.resize(r.count(kMaxCommPaths));
  for (PathName& p : m.paths) p = readName(r);
  if (m.paths.empty()) r.fail();
  return finish(r, std::move(m), "FENCE");
}

Result<Fenced> decodeFenced(std::span<const uint8_t> body, uint32_t epoch) {
  Reader r(body);
  Fenced m;
  m.epoch = epoch;
  m.grantPath = r.number<uint8_t>();
  if (m.grantPath >= kMaxCommPaths && m.grantPath != Fenced::kNoPath) r.fail();
  m.slots.resize(r.count(kSlots));
  for (Fenced::Slot& slot : m.slots) slot = readSlot(r);
  return finish(r, std::move(m), "FENCED");
}

Result<NewPath> decodeNewPath(std::span<const uint8_t> body) {
  Reader r(body);
  NewPath m;
  m.path = readName(r);
  m.rail = readRail(r);
  m.end = readPathEnd(r);
  return finish(r, std::move(m), "MAKE or MADE");
}

Result<Prove> decodeProve(std::span<const uint8_t> body) {
  Reader r(body);
  return finish(r, Prove{readName(r)}, "PROVE");
}

Result<Live> decodeLive(std::span<const uint8_t> body) {
  Reader r(body);
  Live m;
  m.path = readName(r);
  m.grantPath = r.number<uint8_t>();
  if (m.grantPath >= kMaxCommPaths && m.grantPath != Fenced::kNoPath) r.fail();
  return finish(r, std::move(m), "LIVE");
}

Result<Abort> decodeAbort(std::span<const uint8_t> body) {
  Reader r(body);
  return finish(r, Abort{r.text()}, "ABORT");
}

}  // namespace polyrail::net
