// SPDX-License-Identifier: Apache-2.0
// The driver's command line: nccl-tests' letters where it has them. A plain value.
#pragma once

#include <string>

#include "test/vgpu/driver/cases.h"

namespace polyrail::vgpu {

struct Options {
  const Case* collective = nullptr;
  size_t begin = 1024, end = 1024, factor = 2;
  int iterations = 1, warmups = 0, type = 7, op = 0, root = 0;
  int nodes = 2, ranksPerNode = 1;
  bool threads = false;  // ranks of a node are threads of one process
  bool check = true;
  bool inPlace = true;  // run in place too, where that is possible
  bool registered = false;
  int graphLaunches = 0;          // > 0: capture, then launch so often
  int aggregate = 1;              // collectives a group
  int cycles = 1;                 // communicators made and ended one after the other
  int abort = 0;                  // 1: every second one ends by ncclCommAbort; 2: with collectives under way
  int split = 0;                  // > 1: split the communicator in so many and run on the parts
  std::string memory = "device";  // device, host, nccl
  int deadline = 120;             // seconds, for all of it
  int grace = 1 << 20;            // seconds that the others have when a process has failed
  std::string mischief;           // what one rank has otherwise in its environment: RANK:NAME=VALUE
};

// False with a message on stderr.
bool parse(int count, char** words, Options* out);

}  // namespace polyrail::vgpu
