/* SPDX-License-Identifier: Apache-2.0
 * load LIBRARY: a C program that loads the net plugin 1,000 times, comes up through one ABI version in each life,
 * looks at its devices and unloads it. The library must be gone from the process after every dlclose, with its
 * threads, and the heap must not grow with the lives. NCCL_IBVERBS_LIB names the verbs. */
#include <dirent.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../loading.h"

enum { kLives = 1000, kWarmUp = 28, kWindow = 243, kOldest = 6, kNewest = 12, kFinalizes = 11 };

/* The members that every version has in the same place. */
struct Head {
  const char* name;
  void* init;
  int (*devices)(int*);
  int (*getProperties)(int, void*);
};
struct V12 { /* 11 too; what lies between is not called here */
  struct Head head;
  void* between[16];
  int (*finalize)(void*);
};

/* Of the plugin; the emulated NIC's lives as long as the process. */
static int controlThreads(void) {
  DIR* tasks = opendir("/proc/self/task");
  struct dirent* task;
  int count = 0;
  require(tasks != NULL, "cannot read /proc/self/task");
  while ((task = readdir(tasks))) {
    char path[300], name[32] = "";
    FILE* file;
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
    if (!(file = fopen(path, "re"))) continue;
    if (fgets(name, sizeof name, file)) count += strncmp(name, "polyrail", 8) == 0;
    fclose(file);
  }
  closedir(tasks);
  return count;
}

/* A thread that was joined may show for a moment. */
static int noneLeft(void) {
  for (int i = 0; i < 100 && controlThreads() > 0; i++) usleep(5000);
  return controlThreads() == 0;
}

static void lookAtDevices(const struct Head* t) {
  int count = 0;
  char properties[512];
  require(t->devices(&count) == 0 && count > 0, "there is no device");
  for (int i = 0; i < count; i++) require(t->getProperties(i, properties) == 0, "a device has no properties");
}

static void use(void* library, int version) {
  char symbol[32];
  void* context = NULL;
  int trafficClass = -1;
  snprintf(symbol, sizeof symbol, "ncclNetPlugin_v%d", version);
  const struct V12* t = dlsym(library, symbol);
  require(t != NULL, symbol);
  if (version < 10)
    require(((int (*)(void*))t->head.init)(NULL) == 0, "init");
  else if (version == 10)
    require(((int (*)(void*, void*))t->head.init)(NULL, NULL) == 0, "init");
  else
    require(
        ((int (*)(void**, uint64_t, int*, void*, void*))t->head.init)(&context, 1, &trafficClass, NULL, NULL) == 0,
        "init");
  lookAtDevices(&t->head);
  if (version < kFinalizes) return;
  require(t->finalize(context) == 0, "finalize");
  require(noneLeft(), "a thread lives on after the last finalize");
}

static void live(const char* file, int life) {
  void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) fprintf(stderr, "%s\n", dlerror());
  require(library != NULL, "cannot be loaded");
  use(library, kOldest + life % (kNewest - kOldest + 1));
  require(dlclose(library) == 0, "cannot be unloaded");
  require(!isMapped(file), "is still mapped after dlclose");
  require(noneLeft(), "a thread lives on after dlclose");
}

int main(int argc, char** argv) {
  require(argc == 2, "usage: load LIBRARY");
  HeapWatch heap = {0, LONG_MAX};
  for (int i = 0; i < kLives; i++) {
    live(argv[1], i);
    if (i + 1 >= kWarmUp && (i + 1 - kWarmUp) % kWindow == 0) lookAtHeap(&heap);
  }
  printf("%d lives, heap grown by %ld bytes in each %d\n", kLives, heap.least, kWindow);
  require(heap.least <= 0, "the heap grows");
  return 0;
}
