// SPDX-License-Identifier: Apache-2.0
// All streams of the process, and the legacy rule between them.
#include "test/vgpu/cuda/stream.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "test/vgpu/cuda/device.h"
#include "test/vgpu/cuda/graph.h"

namespace polyrail::vgpu {

namespace {

struct Streams {
  std::mutex mutex;
  std::set<Stream*> made;
  std::map<int, Stream*> nullStreams;
};

Streams& streams() {
  static Streams* const one = new Streams;
  return *one;
}

Stream& nullStream(int device) {
  Streams& all = streams();
  const std::lock_guard lock(all.mutex);
  Stream*& stream = all.nullStreams[device];
  if (!stream) stream = new Stream(device, true);
  return *stream;
}

bool isNull(const Stream& stream) {
  Streams& all = streams();
  const std::lock_guard lock(all.mutex);
  const auto found = all.nullStreams.find(stream.device());
  return found != all.nullStreams.end() && found->second == &stream;
}

struct Ticket {
  Stream* stream;
  uint64_t number;
};

// What a task on `stream` has to wait for under the legacy rule.
std::vector<Ticket> legacyTickets(const Stream& stream) {
  std::vector<Ticket> tickets;
  if (!stream.blocking()) return tickets;
  const bool null = isNull(stream);
  Streams& all = streams();
  const std::lock_guard lock(all.mutex);
  if (!null) {
    const auto found = all.nullStreams.find(stream.device());
    if (found != all.nullStreams.end()) tickets.push_back({found->second, found->second->lastTicket()});
    return tickets;
  }
  for (Stream* other : all.made) {
    if (other->blocking() && other->device() == stream.device()) tickets.push_back({other, other->lastTicket()});
  }
  return tickets;
}

}  // namespace

Stream& streamOf(Stream* handle) {
  return reinterpret_cast<uintptr_t>(handle) <= 2 ? nullStream(currentDevice()) : *handle;
}

void push(Stream& stream, Task task) {
  if (stream.capture) {
    stream.capture->tasks.push_back(std::move(task));
    return;
  }
  for (const Ticket& ticket : legacyTickets(stream)) {
    if (!ticket.stream->doneThrough(ticket.number)) {
      stream.enqueue([ticket] { ticket.stream->wait(ticket.number); });
    }
  }
  stream.enqueue(std::move(task));
}

Stream* makeStream(bool blocking) {
  auto* stream = new Stream(currentDevice(), blocking);
  Streams& all = streams();
  const std::lock_guard lock(all.mutex);
  all.made.insert(stream);
  return stream;
}

void endStream(Stream* stream) {
  {
    Streams& all = streams();
    const std::lock_guard lock(all.mutex);
    if (all.made.erase(stream) == 0) return;
  }
  if (stream->capture) std::erase(stream->capture->members, stream);
  delete stream;
}

void synchronizeDevice(int device) {
  std::vector<Ticket> tickets;
  Streams& all = streams();
  {
    const std::lock_guard lock(all.mutex);
    for (Stream* stream : all.made) {
      if (stream->device() == device) tickets.push_back({stream, stream->lastTicket()});
    }
    const auto found = all.nullStreams.find(device);
    if (found != all.nullStreams.end()) tickets.push_back({found->second, found->second->lastTicket()});
  }
  for (const Ticket& ticket : tickets) ticket.stream->wait(ticket.number);
}

size_t liveStreams() {
  Streams& all = streams();
  const std::lock_guard lock(all.mutex);
  return all.made.size();
}

}  // namespace polyrail::vgpu
