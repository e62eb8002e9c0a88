// SPDX-License-Identifier: Apache-2.0
// The few CUDA runtime functions that the driver calls itself.
#pragma once

#include <cstddef>

extern "C" {
int cudaSetDevice(int device);
int cudaMalloc(void** out, size_t size);
int cudaFree(void* pointer);
int cudaMallocHost(void** out, size_t size);
int cudaFreeHost(void* pointer);
int cudaMemcpy(void* to, const void* from, size_t size, int kind);
int cudaStreamCreateWithFlags(void** stream, unsigned flags);
int cudaStreamDestroy(void* stream);
int cudaStreamSynchronize(void* stream);
int cudaStreamQuery(void* stream);
int cudaStreamBeginCapture(void* stream, int mode);
int cudaStreamEndCapture(void* stream, void** graph);
int cudaGraphInstantiate(void** executable, void* graph, unsigned long long flags);
int cudaGraphLaunch(void* executable, void* stream);
int cudaGraphDestroy(void* graph);
int cudaGraphExecDestroy(void* executable);
}
