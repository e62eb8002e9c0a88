// SPDX-License-Identifier: Apache-2.0
// The device list, opening and closing, asynchronous events.
#include <unistd.h>

#include <cstdlib>

#include "test/emu/verbs/face.h"

using namespace polyrail::emu;

namespace {

Device* deviceOf(Session* session, const ibv_device* face) {
  for (const auto& device : session->world().devices())
    if (&device->face == face) return device.get();
  return nullptr;
}

// Of an event that is about an object.
ibv_context* contextOf(const ibv_async_event& event) {
  switch (event.event_type) {
    case IBV_EVENT_CQ_ERR: return event.element.cq->context;
    case IBV_EVENT_SRQ_ERR:
    case IBV_EVENT_SRQ_LIMIT_REACHED: return event.element.srq->context;
    default: return event.element.qp->context;
  }
}

}  // namespace

EMU_EXPORT ibv_device** ibv_get_device_list(int* count) {
  Session* session = currentSession();
  if (!session) return fail(ENOSYS);
  Entry entry(session, Call::kGetDeviceList, session->host());
  if (entry.error()) return fail(entry.error());
  const auto& all = entry.world().devices();
  auto** list = static_cast<ibv_device**>(std::calloc(all.size() + 1, sizeof(ibv_device*)));
  if (!list) return fail(ENOMEM);
  int found = 0;
  for (const auto& device : all)
    if (device->host == session->host() && !device->removed) list[found++] = &device->face;
  if (count) *count = found;
  return list;
}

EMU_EXPORT void ibv_free_device_list(ibv_device** list) { std::free(list); }
EMU_EXPORT const char* ibv_get_device_name(ibv_device* device) { return device->name; }

EMU_EXPORT __be64 ibv_get_device_guid(ibv_device* face) {
  Session* session = currentSession();
  const Device* device = session ? deviceOf(session, face) : nullptr;
  return device ? htobe64(device->spec->guid) : 0;
}

EMU_EXPORT int ibv_get_device_index(ibv_device* face) {
  Session* session = currentSession();
  const Device* device = session ? deviceOf(session, face) : nullptr;
  return device ? static_cast<int>(device->number) : -1;
}

EMU_EXPORT ibv_context* ibv_open_device(ibv_device* face) {
  Session* session = currentSession();
  Device* device = session ? deviceOf(session, face) : nullptr;
  if (!device) return fail(ENODEV);
  session->opened();  // before the lock is taken
  Entry entry(session, Call::kOpenDevice, device->host);
  if (entry.error()) return fail(entry.error());
  auto* context = new FaceContext{};
  if (const int error = openContext(device, &context->core)) {
    delete context;
    return fail(error);
  }
  context->session = session;
  context->core->face = context;
  verbs_context& extended = context->extended;
  extended.sz = sizeof extended;
  ibv_context& c = extended.context;
  c.device = face;
  c.cmd_fd = -1;
  c.async_fd = context->core->wake.fd();
  c.num_comp_vectors = 2;
  pthread_mutex_init(&c.mutex, nullptr);
  c.abi_compat = __VERBS_ABI_IS_EXTENDED;
  setDataOps(&c);
  setExtendedOps(&extended);
  return &c;
}

EMU_EXPORT int ibv_close_device(ibv_context* context) {
  FaceContext* face = faceOf(context);
  {
    Entry entry(face->session, Call::kCloseDevice, hostOf(context));
    if (entry.error()) return entry.error();
    closeContext(face->core);
  }
  pthread_mutex_destroy(&context->mutex);
  delete face;
  return 0;
}

EMU_EXPORT int ibv_get_async_event(ibv_context* context, ibv_async_event* event) {
  uint64_t one;  // the descriptor counts the events that wait; reading it blocks unless its owner set O_NONBLOCK
  while (read(context->async_fd, &one, sizeof one) == sizeof one) {
    Entry entry(sessionOf(context), Call::kGetAsyncEvent, hostOf(context));
    if (entry.error()) coreOf(context)->wake.post();  // the event is still there
    const int error = entry.error() ? entry.error() : takeAsyncEvent(coreOf(context), event);
    if (error == EAGAIN && !entry.error()) continue;  // of an object that was destroyed meanwhile
    if (error) errno = error;
    return error ? -1 : 0;
  }
  return -1;
}

EMU_EXPORT void ibv_ack_async_event(ibv_async_event* event) {
  const void* object = objectOf(*event);
  if (!object) return;
  ibv_context* context = contextOf(*event);
  Session* session = sessionOf(context);
  session->lock();
  ackAsyncEvent(coreOf(context), object);
  session->unlock();
}

EMU_EXPORT int ibv_fork_init() { return 0; }
EMU_EXPORT ibv_fork_status ibv_is_fork_initialized() { return IBV_FORK_UNNEEDED; }
EMU_EXPORT ibv_context* ibv_import_device(int) { return fail(EOPNOTSUPP); }
EMU_EXPORT int ibv_dontfork_range(void*, size_t) { return 0; }
EMU_EXPORT int ibv_dofork_range(void*, size_t) { return 0; }
