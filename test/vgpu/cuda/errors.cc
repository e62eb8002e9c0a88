// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/cuda/errors.h"

namespace polyrail::vgpu {

namespace {
thread_local int last = kSuccess;
}

int done(int error) {
  if (error != kSuccess && error != kNotReady) last = error;
  return error;
}

int takeLastError(bool forget) {
  const int error = last;
  if (forget) last = kSuccess;
  return error;
}

const char* errorName(int error) {
  switch (error) {
    case kSuccess: return "no error";
    case kInvalidValue: return "invalid argument";
    case kOutOfMemory: return "out of memory";
    case kInvalidDevice: return "invalid device ordinal";
    case kInvalidHandle: return "invalid resource handle";
    case kNotFound: return "named symbol not found";
    case kNotReady: return "device not ready";
    case kNotSupported: return "operation not supported by the virtual GPU";
    case kCaptureInvalidated: return "operation failed due to a previous error during capture";
    default: return "unknown error";
  }
}

}  // namespace polyrail::vgpu

using namespace polyrail::vgpu;

VGPU_API int cudaGetLastError() { return takeLastError(true); }
VGPU_API int cudaPeekAtLastError() { return takeLastError(false); }
VGPU_API const char* cudaGetErrorString(int error) { return errorName(error); }
VGPU_API const char* cudaGetErrorName(int error) { return errorName(error); }
