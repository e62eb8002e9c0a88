// SPDX-License-Identifier: Apache-2.0
#include "net/device/hwloc.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "net/verbs/symbols.h"

namespace polyrail::net {
namespace {

constexpr char kDefaultLibrary[] = "libhwloc.so.15";

// The ABI of hwloc 2.0 to 2.x (hwloc.h): its version, depths and values, and the first members of its objects.
constexpr unsigned kApiMajor = 2;
constexpr int kBridge = 14, kNodeDepth = -3, kPciDepth = -5, kKeepAll = 0;
constexpr unsigned long kBlacklist = 1;
struct Object {
  int type;
  char* subtype;
  unsigned osIndex;
  char* name;
  unsigned long long totalMemory;
  void* attributes;
  int depth;
  unsigned logicalIndex;
  Object *nextCousin, *previousCousin, *parent;
};
struct Topology;

struct Api {
  unsigned (*version)();
  int (*init)(Topology**);
  void (*destroy)(Topology*);
  int (*load)(Topology*);
  int (*keepIo)(Topology*, int filter);
  int (*setComponents)(Topology*, unsigned long flags, const char* name);  // since 2.1
  unsigned (*count)(Topology*, int depth);
  Object* (*object)(Topology*, int depth, unsigned index);
  int (*describe)(char* text, size_t size, Object* object, const char* separator, int verbose);
};

struct Wanted {
  const char* name;
  size_t offset;
  bool required;
};
constexpr Wanted kWanted[] = {
    {"hwloc_get_api_version", offsetof(Api, version), true},
    {"hwloc_topology_init", offsetof(Api, init), true},
    {"hwloc_topology_destroy", offsetof(Api, destroy), true},
    {"hwloc_topology_load", offsetof(Api, load), true},
    {"hwloc_topology_set_io_types_filter", offsetof(Api, keepIo), true},
    {"hwloc_topology_set_components", offsetof(Api, setComponents), false},
    {"hwloc_get_nbobjs_by_depth", offsetof(Api, count), true},
    {"hwloc_get_obj_by_depth", offsetof(Api, object), true},
    {"hwloc_obj_attr_snprintf", offsetof(Api, describe), true},
};

// Its symbols have no versions. The first that is missing, or null.
const char* fill(void* handle, Api* api) {
  for (const Wanted& w : kWanted) {
    void* address = dlsym(handle, w.name);
    if (!address && w.required) return w.name;
    std::memcpy(reinterpret_cast<char*>(api) + w.offset, &address, sizeof address);
  }
  return nullptr;
}

// "busid=0000:16:02.0 id=... buses=0000:[17-17]"; of a host bridge only the last.
std::string textOf(const Api& api, Object* object) {
  char text[256] = "";
  api.describe(text, sizeof text, object, " ", 1);
  return text;
}

std::string addressIn(const std::string& text) {
  constexpr char kKey[] = "busid=";
  const size_t at = text.find(kKey);
  if (at == std::string::npos) return "";
  const size_t from = at + sizeof kKey - 1;
  return text.substr(from, text.find(' ', from) - from);
}

PciPlace placeOf(const Api& api, Object* device) {
  PciPlace place;
  Object* o = device;
  for (; o && (o == device || o->type == kBridge); o = o->parent) place.chain.push_back(textOf(api, o));
  std::reverse(place.chain.begin(), place.chain.end());
  if (!o) return place;
  place.processors = std::to_string(o->depth) + ":" + std::to_string(o->logicalIndex);
  place.whole = !o->parent;
  return place;
}

void walk(const Api& api, Topology* topology, HwlocAnswer* answer) {
  answer->nodes = static_cast<int>(api.count(topology, kNodeDepth));
  for (unsigned i = 0; i < api.count(topology, kPciDepth); i++) {
    Object* device = api.object(topology, kPciDepth, i);
    answer->places[addressIn(textOf(api, device))] = placeOf(api, device);
  }
}

void ask(const Api& api, HwlocAnswer* answer) {
  Topology* topology = nullptr;
  if (api.init(&topology) != 0) {
    answer->absent = "hwloc cannot begin";
    return;
  }
  // These start the drivers of accelerators in our process, for what is not asked.
  for (const char* name : {"cuda", "nvml", "rsmi", "levelzero", "opencl", "gl"})
    if (api.setComponents) (void)api.setComponents(topology, kBlacklist, name);
  if (api.keepIo(topology, kKeepAll) == 0 && api.load(topology) == 0)
    walk(api, topology, answer);
  else
    answer->absent = "hwloc cannot load the topology of this machine";
  api.destroy(topology);
}

}  // namespace

HwlocAnswer askHwloc(const std::string& library) {
  HwlocAnswer answer;
  const std::string file = library.empty() ? kDefaultLibrary : library;
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    answer.absent = loaderReason();
    return answer;
  }
  Api api{};
  const char* missing = fill(handle, &api);
  const unsigned version = missing ? 0 : api.version();
  answer.version = "hwloc " + std::to_string(version >> 16) + "." + std::to_string(version >> 8 & 0xff);
  if (missing)
    answer.absent = file + " has no " + missing;
  else if (version >> 16 != kApiMajor)
    answer.absent = file + " is " + answer.version + ", not 2";
  else
    ask(api, &answer);
  dlclose(handle);
  return answer;
}

}  // namespace polyrail::net
