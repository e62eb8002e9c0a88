// SPDX-License-Identifier: Apache-2.0
// Contexts, completion channels, PDs, address handles.
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "test/emu/core/objects.h"
#include "test/emu/core/world.h"

namespace polyrail::emu {

WakeFd::WakeFd(bool blocking) : fd_(eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC | (blocking ? 0 : EFD_NONBLOCK))) {}

WakeFd::~WakeFd() {
  if (fd_ >= 0) close(fd_);
}

void WakeFd::post() {
  const uint64_t one = 1;
  if (fd_ >= 0 && write(fd_, &one, sizeof one) < 0) return;  // full only after 2^64-2 unread events
}

int openContext(Device* device, Context** out) {
  World& world = *device->world;
  if (device->removed) return ENODEV;
  auto* context = new Context(device, world.options().blocking);
  device->contexts.push_back(context);
  world.census.add(Kind::kContext);
  *out = context;
  return 0;
}

int closeContext(Context* context) {
  std::erase(context->device->contexts, context);
  context->device->world->census.drop(Kind::kContext);
  delete context;
  return 0;
}

int takeAsyncEvent(Context* context, ibv_async_event* out) {
  if (context->events.empty()) return EAGAIN;
  *out = context->events.front();
  context->events.pop_front();
  if (const void* object = objectOf(*out)) context->unacked.push_back(object);
  return 0;
}

void raise(Context* context, const ibv_async_event& event) {
  context->events.push_back(event);
  context->wake.post();
}

void* objectOf(const ibv_async_event& event) {
  const bool ofPort = (event.event_type >= IBV_EVENT_DEVICE_FATAL && event.event_type <= IBV_EVENT_SM_CHANGE) ||
                      event.event_type == IBV_EVENT_CLIENT_REREGISTER || event.event_type == IBV_EVENT_GID_CHANGE;
  return ofPort ? nullptr : event.element.qp;  // the union's members are one pointer
}

void forgetEvents(Context* context, const void* object) {
  std::erase_if(context->events, [object](const ibv_async_event& e) { return objectOf(e) == object; });
}

void ackAsyncEvent(Context* context, const void* object) {
  const auto found = std::find(context->unacked.begin(), context->unacked.end(), object);
  if (found != context->unacked.end()) context->unacked.erase(found);
}

bool hasUnacked(const Context* context, const void* object) {
  return std::count(context->unacked.begin(), context->unacked.end(), object) > 0;
}

int makeChannel(Context* context, Channel** out) {
  World& world = *context->device->world;
  if (context->device->removed) return EIO;
  auto* channel = new Channel(context, world.options().blocking);
  channel->face.fd = channel->wake.fd();
  context->users++;
  world.census.add(Kind::kChannel);
  *out = channel;
  return 0;
}

int dropChannel(Channel* channel) {
  if (channel->face.refcnt > 0) return EBUSY;
  auto* context = channel->owner;
  context->users--;
  context->device->world->census.drop(Kind::kChannel);
  delete channel;
  return 0;
}

int makePd(Context* context, Pd** out) {
  Device& device = *context->device;
  if (device.removed) return EIO;
  if (device.pds >= device.spec->limits.maxPd) return ENOMEM;
  auto* pd = new Pd;
  pd->context = context;
  pd->face.handle = device.handles++;
  device.pds++;
  context->users++;
  device.world->census.add(Kind::kPd);
  *out = pd;
  return 0;
}

int dropPd(Pd* pd) {
  if (pd->users > 0) return EBUSY;
  Device& device = *pd->context->device;
  device.pds--;
  pd->context->users--;
  device.world->census.drop(Kind::kPd);
  delete pd;
  return 0;
}

int makeAh(Pd* pd, const ibv_ah_attr& attr, Ah** out) {
  Device& device = *pd->context->device;
  World& world = *device.world;
  if (device.removed) return EIO;
  if (device.ahs >= device.spec->limits.maxAh) return ENOMEM;
  const Port* from = device.port(attr.port_num);
  if (!from || (from->spec->ethernet && !attr.is_global)) return EINVAL;
  const Port* to = attr.is_global ? world.findByGid(attr.grh.dgid) : world.findByLid(attr.dlid, from->spec->plane);
  if (!to) return from->spec->ethernet ? EHOSTUNREACH : EINVAL;
  auto* ah = new Ah;
  ah->pd = pd;
  ah->attr = attr;
  ah->targetPort = to->id;
  ah->face.handle = device.handles++;
  device.ahs++;
  pd->users++;
  world.census.add(Kind::kAh);
  *out = ah;
  return 0;
}

int dropAh(Ah* ah) {
  Device& device = *ah->pd->context->device;
  device.ahs--;
  ah->pd->users--;
  device.world->census.drop(Kind::kAh);
  delete ah;
  return 0;
}

}  // namespace polyrail::emu
