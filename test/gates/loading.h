/* SPDX-License-Identifier: Apache-2.0
 * What every loader of a plugin asks: that something holds, and whether a file is mapped into this process. */
#ifndef POLYRAIL_TEST_GATES_LOADING_H
#define POLYRAIL_TEST_GATES_LOADING_H

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

#endif
