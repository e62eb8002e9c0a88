// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/driver/options.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "test/vgpu/driver/data.h"

namespace polyrail::vgpu {

namespace {

// 4K, 32M, 1G: powers of 1024, as nccl-tests reads them.
size_t sizeOf(const char* text) {
  char* end = nullptr;
  const size_t number = strtoull(text, &end, 10);
  const char* const units = "KMG";
  const char* unit = *end ? strchr(units, *end & ~0x20) : nullptr;
  return unit ? number << 10 * (unit - units + 1) : number;
}

struct Flag {
  const char* word;
  const char* what;
  void (*set)(Options*, const char*);
};

constexpr Flag kFlags[] = {
    {"-b", "smallest size", [](Options* o, const char* v) { o->begin = sizeOf(v); }},
    {"-e", "largest size", [](Options* o, const char* v) { o->end = sizeOf(v); }},
    {"-f", "factor between sizes", [](Options* o, const char* v) { o->factor = sizeOf(v); }},
    {"-n", "timed iterations", [](Options* o, const char* v) { o->iterations = atoi(v); }},
    {"-w", "warm-up iterations", [](Options* o, const char* v) { o->warmups = atoi(v); }},
    {"-d", "data type", [](Options* o, const char* v) { o->type = typeOf(v); }},
    {"-o", "operator", [](Options* o, const char* v) { o->op = operatorOf(v); }},
    {"-r", "root", [](Options* o, const char* v) { o->root = atoi(v); }},
    {"-c", "check results", [](Options* o, const char* v) { o->check = atoi(v) != 0; }},
    {"-m", "collectives a group", [](Options* o, const char* v) { o->aggregate = atoi(v); }},
    {"-G", "launches of a captured graph", [](Options* o, const char* v) { o->graphLaunches = atoi(v); }},
    {"-R", "register buffers", [](Options* o, const char* v) { o->registered = atoi(v) != 0; }},
    {"--in-place", "in place too", [](Options* o, const char* v) { o->inPlace = atoi(v) != 0; }},
    {"--nodes", "virtual nodes", [](Options* o, const char* v) { o->nodes = atoi(v); }},
    {"--ranks", "ranks a node", [](Options* o, const char* v) { o->ranksPerNode = atoi(v); }},
    {"--cycles", "so many lives, with a census", [](Options* o, const char* v) { o->cycles = atoi(v); }},
    {"--abort", "1: every second life ends by abort, 2: amid work",
     [](Options* o, const char* v) { o->abort = atoi(v); }},
    {"--threads", "ranks of a node are threads", [](Options* o, const char* v) { o->threads = atoi(v) != 0; }},
    {"--split", "split into so many communicators", [](Options* o, const char* v) { o->split = atoi(v); }},
    {"--memory", "device, host or nccl", [](Options* o, const char* v) { o->memory = v; }},
    {"--deadline", "seconds", [](Options* o, const char* v) { o->deadline = atoi(v); }},
    {"--grace", "seconds after a failure", [](Options* o, const char* v) { o->grace = atoi(v); }},
    {"--rank-env", "RANK:NAME=VALUE", [](Options* o, const char* v) { o->mischief = v; }},
};

const Flag* flagOf(const char* word) {
  for (const Flag& flag : kFlags) {
    if (strcmp(flag.word, word) == 0) return &flag;
  }
  return nullptr;
}

bool usage(const char* complaint) {
  fprintf(stderr, "vgpu-perf: %s\nusage: vgpu-perf COLLECTIVE [OPTION VALUE]...\n", complaint);
  for (const Flag& flag : kFlags) fprintf(stderr, "  %-10s %s\n", flag.word, flag.what);
  return false;
}

}  // namespace

bool parse(int count, char** words, Options* out) {
  if (count < 2 || !(out->collective = caseOf(words[1]))) return usage("names no collective");
  for (int i = 2; i < count; i += 2) {
    const Flag* flag = flagOf(words[i]);
    if (!flag || i + 1 == count) return usage(words[i]);
    flag->set(out, words[i + 1]);
  }
  if (out->type < 0 || out->op < 0) return usage("no such type or operator");
  if (out->nodes < 1 || out->ranksPerNode < 1 || out->factor < 2) return usage("numbers must be positive");
  if (!out->collective->reduces) out->op = kNcclSum;
  return true;
}

}  // namespace polyrail::vgpu
