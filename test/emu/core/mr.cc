// SPDX-License-Identifier: Apache-2.0
// Memory regions.
#include <sys/mman.h>

#include <cerrno>

#include "test/emu/core/objects.h"
#include "test/emu/core/world.h"

namespace polyrail::emu {
namespace {

// IB spec vol. 1, 10.6.3.1: remote write and atomics need local write.
bool accessMakesSense(unsigned access) {
  const bool needsLocal = access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
  return !needsLocal || (access & IBV_ACCESS_LOCAL_WRITE);
}

}  // namespace

int makeMr(Pd* pd, const MrRequest& request, Mr** out) {
  Device& device = *pd->context->device;
  const Limits& limits = device.spec->limits;
  if (device.removed) return EIO;
  if (!accessMakesSense(request.access) || (request.access & IBV_ACCESS_ON_DEMAND)) return EINVAL;
  if (request.address + request.length < request.address) return EINVAL;
  if ((request.address ^ request.iova) % 4096 != 0) return EINVAL;  // the kernel wants one offset in the page
  if (static_cast<int64_t>(device.mrs.size()) >= limits.maxMr) return ENOMEM;
  const auto length = static_cast<int64_t>(request.length);
  if (limits.memlock > 0 && device.lockedBytes + length > limits.memlock) return ENOMEM;
  auto* mr = new Mr;
  mr->pd = pd;
  mr->iova = request.iova;
  mr->access = request.access;
  mr->face.addr = reinterpret_cast<void*>(request.address);
  mr->face.length = request.length;
  mr->face.handle = device.handles++;
  mr->face.lkey = mr->face.rkey = device.takeKey();
  device.mrs[mr->face.lkey] = mr;
  device.lockedBytes += length;
  pd->users++;
  device.world->census.add(Kind::kMr);
  *out = mr;
  return 0;
}

int dropMr(Mr* mr) {
  Device& device = *mr->pd->context->device;
  device.world->keepPayloadsIn(reinterpret_cast<uint64_t>(mr->face.addr), mr->face.length);
  device.mrs.erase(mr->face.lkey);
  device.lockedBytes -= static_cast<int64_t>(mr->face.length);
  mr->pd->users--;
  device.world->census.drop(Kind::kMr);
  if (mr->mapping) munmap(mr->mapping, mr->mappingSize);
  delete mr;
  return 0;
}

}  // namespace polyrail::emu
