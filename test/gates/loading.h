/* SPDX-License-Identifier: Apache-2.0
 * What every loader of a plugin asks: that something holds, whether a file is mapped into this process, and whether
 * the heap grows from life to life. */
#ifndef POLYRAIL_TEST_GATES_LOADING_H
#define POLYRAIL_TEST_GATES_LOADING_H

#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "load: %s\n", what);
  exit(1);
}

static int isMapped(const char* file) {
  FILE* maps = fopen("/proc/self/maps", "re");
  char line[4096];
  int found = 0;
  require(maps != NULL, "cannot read /proc/self/maps");
  while (!found && fgets(line, sizeof line, maps)) found = strstr(line, file) != NULL;
  fclose(maps);
  return found;
}

/* Lives in windows of equal length: a leak grows in each of them. glibc's loader keeps a block now and then, when a
 * thread runs while it unloads (2,256 bytes in one of some hundred lives, and then no more). */
typedef struct {
  size_t last;
  long least; /* that a window has grown */
} HeapWatch;

static void lookAtHeap(HeapWatch* watch) {
  const size_t now = mallinfo2().uordblks;
  const long grown = (long)now - (long)watch->last;
  if (watch->last && grown < watch->least) watch->least = grown;
  watch->last = now;
}

#endif
