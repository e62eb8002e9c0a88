// SPDX-License-Identifier: Apache-2.0
// The runtime's streams and events.
#include <chrono>

#include "test/vgpu/cuda/errors.h"
#include "test/vgpu/cuda/event.h"
#include "test/vgpu/cuda/stream.h"

using namespace polyrail::vgpu;

VGPU_API int cudaStreamCreateWithFlags(Stream** out, unsigned flags) {
  constexpr unsigned kNonBlocking = 1;
  *out = makeStream(!(flags & kNonBlocking));
  return kSuccess;
}

VGPU_API int cudaStreamCreate(Stream** out) { return cudaStreamCreateWithFlags(out, 0); }
VGPU_API int cudaStreamCreateWithPriority(Stream** out, unsigned flags, int) {
  return cudaStreamCreateWithFlags(out, flags);
}

VGPU_API int cudaStreamDestroy(Stream* stream) {
  endStream(stream);
  return kSuccess;
}

VGPU_API int cudaStreamSynchronize(Stream* handle) {
  Stream& stream = streamOf(handle);
  if (stream.capture) return done(kCaptureInvalidated);
  push(stream, [] {});  // under the legacy rule the null stream waits for the others
  stream.wait(stream.lastTicket());
  return kSuccess;
}

VGPU_API int cudaStreamQuery(Stream* handle) {
  Stream& stream = streamOf(handle);
  return stream.doneThrough(stream.lastTicket()) ? kSuccess : kNotReady;
}

VGPU_API int cudaStreamGetId(Stream* handle, unsigned long long* id) {
  *id = streamOf(handle).id();
  return kSuccess;
}

VGPU_API int cudaStreamWaitEvent(Stream* stream, Event* event, unsigned) {
  event->holdBack(streamOf(stream));
  return kSuccess;
}

VGPU_API int cudaEventCreateWithFlags(Event** out, unsigned) {
  *out = new Event;
  return kSuccess;
}

VGPU_API int cudaEventCreate(Event** out) { return cudaEventCreateWithFlags(out, 0); }

VGPU_API int cudaEventDestroy(Event* event) {
  delete event;
  return kSuccess;
}

VGPU_API int cudaEventRecord(Event* event, Stream* stream) {
  event->record(streamOf(stream));
  return kSuccess;
}

VGPU_API int cudaEventQuery(Event* event) {
  const auto state = event->state();
  return !state || state->done() ? kSuccess : kNotReady;
}

VGPU_API int cudaEventSynchronize(Event* event) {
  if (const auto state = event->state()) state->wait();
  return kSuccess;
}

VGPU_API int cudaEventElapsedTime(float* milliseconds, Event* from, Event* to) {
  const auto first = from->state(), second = to->state();
  if (!first || !second) return done(kInvalidHandle);
  if (!first->done() || !second->done()) return kNotReady;
  *milliseconds = std::chrono::duration<float, std::milli>(second->at - first->at).count();
  return kSuccess;
}
