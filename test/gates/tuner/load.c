/* SPDX-License-Identifier: Apache-2.0
 * load LIBRARY: a C program that loads the tuner 1,000 times, opens and closes a communicator through each ABI
 * version in each life, and unloads it. The library must be gone from the process after every dlclose, and the heap
 * must not grow with the lives. Run with POLYRAIL_POLICY set to policy.json beside this file. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../loading.h"

enum { kLives = 1000, kWarmUp = 20, kWindow = 245, kAllReduce = 4, kRing = 1, kSimple = 2 };

typedef int (*CollInfo)(void*, int, size_t, int, float**, int, int, int, int*);
typedef int (*Close)(void*);

struct V2 {
  const char* name;
  int (*init)(size_t, size_t, void*, void**);
  int (*getCollInfo)(void*, int, size_t, int, int, int, int*, int*, int*);
  Close destroy;
};
struct V3 {
  const char* name;
  int (*init)(size_t, size_t, void*, void**);
  int (*getCollInfo)(void*, int, size_t, int, float**, int, int, int*);
  Close destroy;
};
struct V4 {
  const char* name;
  int (*init)(size_t, size_t, void*, void**);
  CollInfo getCollInfo;
  Close destroy;
};
struct V5 {
  const char* name;
  int (*init)(void**, uint64_t, size_t, size_t, void*, void*, void*);
  CollInfo getCollInfo;
  Close finalize;
  int (*getChunkSize)(void*, int, size_t, int, int, int, size_t*); /* v6 */
};

static float table[7][3];
static void fill(void) {
  for (int a = 0; a < 7; a++)
    for (int p = 0; p < 3; p++) table[a][p] = 10.0f + (float)(3 * a + p);
}

static void checkDecision(int channels) {
  require(channels == 8, "the policy's rule did not decide the channels");
  for (int a = 0; a < 7; a++)
    for (int p = 0; p < 3; p++)
      require((a == kRing && p == kSimple) || table[a][p] > table[kRing][kSimple],
              "the rule's choice is not the least");
}

static void useV2(const struct V2* t) {
  void* context = NULL;
  int algorithm = -1, protocol = -1, channels = 0;
  require(t->init(16, 2, NULL, &context) == 0 && context, "v2 init");
  require(t->getCollInfo(context, kAllReduce, 1 << 20, 0, 0, 1, &algorithm, &protocol, &channels) == 0, "v2 call");
  require(algorithm == kRing && protocol == kSimple && channels == 8, "v2 decision");
  require(t->destroy(context) == 0, "v2 destroy");
}

static void useV3(const struct V3* t) {
  void* context = NULL;
  int channels = 0;
  fill();
  require(t->init(16, 2, NULL, &context) == 0 && context, "v3 init");
  require(t->getCollInfo(context, kAllReduce, 1 << 20, 1, (float**)table, 7, 3, &channels) == 0, "v3 call");
  checkDecision(channels);
  require(t->destroy(context) == 0, "v3 destroy");
}

static void useTable(void* context, CollInfo getCollInfo, Close close) {
  int channels = 0;
  fill();
  require(context != NULL, "init gave no context");
  require(getCollInfo(context, kAllReduce, 1 << 20, 1, (float**)table, 7, 3, 0, &channels) == 0, "call");
  checkDecision(channels);
  require(close(context) == 0, "close");
}

static void useV4(const struct V4* t) {
  void* context = NULL;
  require(t->init(16, 2, NULL, &context) == 0, "v4 init");
  useTable(context, t->getCollInfo, t->destroy);
}

static void useV5(const struct V5* t, int hasChunk) {
  void* context = NULL;
  size_t chunk = 1 << 21;
  require(t->init(&context, 42, 16, 2, NULL, NULL, NULL) == 0, "v5 init");
  if (hasChunk) {
    require(t->getChunkSize(context, kAllReduce, 1 << 20, kRing, kSimple, 1, &chunk) == 0, "chunk call");
    require(chunk == 131072, "the policy's chunk");
  }
  useTable(context, t->getCollInfo, t->finalize);
}

static const void* symbol(void* library, const char* name) {
  const void* found = dlsym(library, name);
  require(found != NULL, name);
  require(strcmp(*(const char* const*)found, "polyrail") == 0, "the tuner's name");
  return found;
}

static void live(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  require(library != NULL, dlerror());
  useV2(symbol(library, "ncclTunerPlugin_v2"));
  useV3(symbol(library, "ncclTunerPlugin_v3"));
  useV4(symbol(library, "ncclTunerPlugin_v4"));
  useV5(symbol(library, "ncclTunerPlugin_v5"), 0);
  useV5(symbol(library, "ncclTunerPlugin_v6"), 1);
  require(dlclose(library) == 0, "dlclose");
}

int main(int argc, char** argv) {
  require(argc == 2, "usage: load LIBRARY");
  const char* slash = strrchr(argv[1], '/');
  const char* file = slash ? slash + 1 : argv[1];
  HeapWatch heap = {0, LONG_MAX};
  for (int i = 0; i < kLives; i++) {
    live(argv[1]);
    if (i % 100 == 0) require(!isMapped(file), "still mapped after dlclose");
    if (i + 1 >= kWarmUp && (i + 1 - kWarmUp) % kWindow == 0) lookAtHeap(&heap);
  }
  require(!isMapped(file), "still mapped after dlclose");
  printf("%d lives, heap grown by %ld bytes in each %d\n", kLives, heap.least, kWindow);
  require(heap.least <= 0, "the heap grows with every life");
  return 0;
}
