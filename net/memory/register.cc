// SPDX-License-Identifier: Apache-2.0
#include "net/memory/register.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "net/verbs/mlx5.h"

namespace polyrail::net {
namespace {

// Atomics are asked for as NCCL does (src/transport/net_ib/reg.cc, 2.30.7), for its other transports share the
// region.
constexpr int kAccess = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;

int accessOf(const Verbs& verbs, const RegistrationWays& how) {
  return kAccess | (how.relaxedOrdering && verbs.regMrIova2 ? IBV_ACCESS_RELAXED_ORDERING : 0);
}

// 0 or an errno. verbs leaves errno alone on some failures.
int outcome(ibv_mr* mr) { return mr ? 0 : errno ? errno : EIO; }

int byDmaBuf(const Verbs& verbs, ibv_pd* pd, const MemoryRange& range, const RegistrationWays& how,
             Registration* out) {
  const uint64_t slack = range.address - out->first;
  if (!verbs.regDmabufMr) return ENOSYS;
  if (range.offset < slack) return EINVAL;
  errno = 0;
  out->mr = verbs.regDmabufMr(pd, range.offset - slack, out->end - out->first, out->first, range.dmaBuf,
                              accessOf(verbs, how));
  return outcome(out->mr);
}

// The descriptor by the card's second PCI function; ordered as the usual way.
int byDataDirect(const Verbs& verbs, ibv_pd* pd, const MemoryRange& range, const RegistrationWays& how,
                 Registration* out) {
  const uint64_t slack = range.address - out->first;
  if (range.offset < slack) return EINVAL;
  errno = 0;
  out->mr = how.dataDirect(pd, range.offset - slack, out->end - out->first, out->first, range.dmaBuf,
                           accessOf(verbs, how), kMlx5AccessDataDirect);
  return outcome(out->mr);
}

// ibv_reg_mr of old libraries does not know relaxed ordering; ibv_reg_mr_iova2 (1.8) came with it.
int byAddress(const Verbs& verbs, ibv_pd* pd, const RegistrationWays& how, Registration* out) {
  const int access = accessOf(verbs, how);
  // Verbs takes a pointer where the kernel takes a number; it is never followed.
  auto* first = reinterpret_cast<void*>(out->first);  // NOLINT(performance-no-int-to-ptr)
  errno = 0;
  out->mr = (access & IBV_ACCESS_RELAXED_ORDERING)
                ? verbs.regMrIova2(pd, first, out->end - out->first, out->first, static_cast<unsigned>(access))
                : verbs.regMr(pd, first, out->end - out->first, access);
  return outcome(out->mr);
}

std::string memlockText() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return "unknown";
  return limit.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(limit.rlim_cur >> 10) + " KiB";
}

}  // namespace

std::string registrationRemedy(int error) {
  if (error == ENOMEM || error == EAGAIN || error == EPERM)
    return "locked memory is limited to " + memlockText() +
           "; set it to unlimited (ulimit -l unlimited, memlock in limits.conf, or LimitMEMLOCK= of the service)";
  if (error == EFAULT || error == EINVAL)
    return "the NIC cannot reach that memory: for GPU memory load nvidia_peermem";
  if (error == EOPNOTSUPP || error == EPROTONOSUPPORT || error == ENOSYS)
    return "the NIC's driver has no DMA-BUF; load nvidia_peermem";
  return "";
}

MemoryKind kindOf(const MemoryRange& range, const RegistrationWays& how) {
  MemoryKind kind;
  kind.type = range.type;
  kind.relaxedOrdering = how.relaxedOrdering;
  struct stat info;
  if (range.dmaBuf < 0 || ::fstat(range.dmaBuf, &info) != 0) return kind;
  kind.inode = info.st_ino;
  kind.dataDirect = how.dataDirect != nullptr;
  kind.base = range.address - range.offset;
  return kind;
}

Status registerRange(const Verbs& verbs, ibv_pd* pd, const std::string& device, const MemoryRange& range,
                     const RegistrationWays& how, Registration* out) {
  std::string tried;
  int error = 0;
  const auto attempt = [&](const char* way, int result) {
    error = result;
    if (result) tried += (tried.empty() ? "" : ", ") + std::string(way) + ": " + std::strerror(result);
    return result == 0;
  };
  if (range.dmaBuf >= 0 && how.dmaBuf) {
    out->viaDmaBuf = true;
    if (how.dataDirect && attempt("data-direct", byDataDirect(verbs, pd, range, how, out))) return {};
    if (attempt("DMA-BUF", byDmaBuf(verbs, pd, range, how, out))) return {};
  }
  out->viaDmaBuf = false;
  const bool byItsAddress = range.type == MemoryType::kHost || how.peermem;
  if (byItsAddress && attempt("by address", byAddress(verbs, pd, how, out))) return {};
  if (tried.empty()) tried = "neither DMA-BUF nor peermem is in use";
  const std::string remedy = registrationRemedy(error);
  return Status::error(device + ": " + std::to_string(out->end - out->first) + " bytes of " +
                       (range.type == MemoryType::kHost ? "host" : "GPU") + " memory cannot be registered (" + tried +
                       ")" + (remedy.empty() ? "" : "; " + remedy));
}

}  // namespace polyrail::net
