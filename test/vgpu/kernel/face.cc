// SPDX-License-Identifier: Apache-2.0
// Linked into libnccl.so.2, so that it can see NCCL's own table of functions, which is hidden: tells the interpreter.
// Also the C23 number readers of glibc 2.38, which NCCLs built there ask for and older ones lack; for base 10 and 16
// without a prefix "0b" they do the same.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

extern const int ncclDevFuncRowToId[];
extern "C" int ncclGetVersion(int* version);
extern "C" void vgpuNcclLoaded(int version, const int* rowToId);

extern "C" {
long __isoc23_strtol(const char* text, char** end, int base) { return strtol(text, end, base); }
long long __isoc23_strtoll(const char* text, char** end, int base) { return strtoll(text, end, base); }
unsigned long __isoc23_strtoul(const char* text, char** end, int base) { return strtoul(text, end, base); }
unsigned long long __isoc23_strtoull(const char* text, char** end, int base) { return strtoull(text, end, base); }

int __isoc23_sscanf(const char* text, const char* format, ...) {
  va_list list;
  va_start(list, format);
  const int count = vsscanf(text, format, list);
  va_end(list);
  return count;
}

int __isoc23_fscanf(FILE* file, const char* format, ...) {
  va_list list;
  va_start(list, format);
  const int count = vfscanf(file, format, list);
  va_end(list);
  return count;
}
}

namespace {
__attribute__((constructor)) void tell() {
  int version = 0;
  ncclGetVersion(&version);
  vgpuNcclLoaded(version, ncclDevFuncRowToId);
}
}  // namespace
