// SPDX-License-Identifier: Apache-2.0
// Capture and graphs. A graph is a sequence, so that dependencies have nothing to say; what NCCL 2.22 builds node by
// node on older drivers (kernel, host and wait nodes) is refused.
#include <atomic>

#include "test/vgpu/cuda/errors.h"
#include "test/vgpu/cuda/event.h"
#include "test/vgpu/cuda/graph.h"

using namespace polyrail::vgpu;

namespace {

// What the API calls a graph or an executable graph: a shared graph, so that the original may go first.
using GraphHandle = std::shared_ptr<Graph>;
std::atomic<uint64_t> nextGraph{1};

enum CaptureStatus : int { kNone = 0, kActive = 1 };

int captureInfo(Stream* handle, int* status, unsigned long long* id, Graph** graph, void** dependencies, void** edges,
                size_t* count) {
  Stream& stream = streamOf(handle);
  *status = stream.capture ? kActive : kNone;
  if (id) *id = stream.capture ? stream.capture->id : 0;
  if (graph) *graph = stream.capture.get();
  if (dependencies) *dependencies = nullptr;
  if (edges) *edges = nullptr;
  if (count) *count = 0;
  return kSuccess;
}

}  // namespace

VGPU_API int cudaStreamBeginCapture(Stream* handle, int) {
  Stream& stream = streamOf(handle);
  stream.capture = std::make_shared<Graph>();
  stream.capture->id = nextGraph.fetch_add(1);
  return kSuccess;
}

VGPU_API int cudaStreamEndCapture(Stream* handle, GraphHandle** out) {
  Stream& stream = streamOf(handle);
  if (!stream.capture) return done(kInvalidValue);
  *out = new GraphHandle(stream.capture);
  for (Stream* member : stream.capture->members) member->capture.reset();
  (**out)->members.clear();
  stream.capture.reset();
  return kSuccess;
}

VGPU_API int cudaStreamIsCapturing(Stream* handle, int* status) {
  return captureInfo(handle, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}

VGPU_API int cudaStreamGetCaptureInfo_v2(Stream* handle, int* status, unsigned long long* id, Graph** graph,
                                         void** dependencies, size_t* count) {
  return captureInfo(handle, status, id, graph, dependencies, nullptr, count);
}

VGPU_API int cudaStreamGetCaptureInfo_v3(Stream* handle, int* status, unsigned long long* id, Graph** graph,
                                         void** dependencies, void** edges, size_t* count) {
  return captureInfo(handle, status, id, graph, dependencies, edges, count);
}

VGPU_API int cudaStreamUpdateCaptureDependencies(Stream*, void*, size_t, unsigned) { return kSuccess; }
VGPU_API int cudaStreamUpdateCaptureDependencies_v2(Stream*, void*, const void*, size_t, unsigned) {
  return kSuccess;
}
VGPU_API int cudaGraphAddDependencies(Graph*, const void*, const void*, size_t) { return kSuccess; }
VGPU_API int cudaGraphAddDependencies_v2(Graph*, const void*, const void*, const void*, size_t) { return kSuccess; }

VGPU_API int cudaGraphAddEventRecordNode(void** node, Graph* graph, const void*, size_t, Event* event) {
  *node = graph;
  graph->tasks.push_back([event] { event->recordNow(); });
  return kSuccess;
}

VGPU_API int cudaGraphAddEventWaitNode(void** node, Graph* graph, const void*, size_t, Event* event) {
  *node = graph;
  graph->tasks.push_back([event] {
    if (const auto state = event->state()) state->wait();
  });
  return kSuccess;
}

// cudaHostNodeParams
struct HostNode {
  HostFunction function;
  void* argument;
};

VGPU_API int cudaGraphAddHostNode(void** node, Graph* graph, const void*, size_t, const HostNode* host) {
  *node = graph;
  graph->tasks.push_back([call = *host] { call.function(call.argument); });
  return kSuccess;
}

VGPU_API int cudaGraphAddKernelNode(void**, Graph*, const void*, size_t, const void*) { return done(kNotSupported); }

VGPU_API int cudaUserObjectCreate(std::shared_ptr<UserObject>** out, void* argument, HostFunction destroy, unsigned,
                                  unsigned) {
  *out = new std::shared_ptr<UserObject>(new UserObject{destroy, argument});
  return kSuccess;
}

VGPU_API int cudaGraphRetainUserObject(Graph* graph, std::shared_ptr<UserObject>* object, unsigned, unsigned flags) {
  constexpr unsigned kMove = 1;
  graph->objects.push_back(*object);
  if (flags & kMove) delete object;
  return kSuccess;
}

VGPU_API int cudaGraphInstantiate(GraphHandle** out, GraphHandle* graph, unsigned long long) {
  *out = new GraphHandle(*graph);
  return kSuccess;
}

VGPU_API int cudaGraphLaunch(GraphHandle* graph, Stream* stream) {
  for (const Task& task : (*graph)->tasks) push(streamOf(stream), task);
  push(streamOf(stream), [keep = *graph] {});  // the graph lives until it has run
  return kSuccess;
}

VGPU_API int cudaGraphDestroy(GraphHandle* graph) {
  delete graph;
  return kSuccess;
}

VGPU_API int cudaGraphExecDestroy(GraphHandle* graph) { return cudaGraphDestroy(graph); }

VGPU_API int cudaThreadExchangeStreamCaptureMode(int* mode) {
  static thread_local int current = 0;  // cudaStreamCaptureModeGlobal
  std::swap(current, *mode);
  return kSuccess;
}
