// SPDX-License-Identifier: Apache-2.0
#include "net/device/open_device.h"

#include <mutex>

#include <fcntl.h>
#include <unistd.h>

#include "common/mutex.h"
#include "net/device/device_list.h"
#include "net/verbs/fork.h"

namespace polyrail::net {
namespace {

// All that are open in the process. Neither needs a constructor or a destructor at run time, so that loading and
// unloading the library leaves nothing to do.
constinit Mutex gMutex;
constinit OpenDevice* gFirst = nullptr;

Status failed(const std::string& name, const char* verb, int error) {
  const std::string remedy = error == EMFILE   ? "; raise ulimit -n"
                             : error == EACCES ? "; the user may not open /dev/infiniband/uverbs*"
                                               : "";
  return Status::error(name + ": " + verb + " failed: " + std::strerror(error) + remedy);
}

int lastError() { return errno ? errno : EIO; }

}  // namespace

Result<std::shared_ptr<OpenDevice>> OpenDevice::open(const Verbs& verbs, const std::string& name) {
  const std::lock_guard lock(gMutex);
  for (OpenDevice* d = gFirst; d; d = d->next_)
    if (d->name_ == name && d->verbs_.openDevice == verbs.openDevice && d->pid_ == ::getpid())
      if (std::shared_ptr<OpenDevice> alive = d->weak_from_this().lock()) return alive;
  if (!gFirst) prepareForFork(verbs);
  DeviceList list(verbs);
  ibv_device* device = list.find(name);
  if (!device) return Status::error(name + ": no such device");
  std::unique_ptr<OpenDevice> fresh(new OpenDevice(verbs, name));
  if (Status bad = fresh->start(device); !bad.ok()) return bad;
  fresh->next_ = gFirst;
  gFirst = fresh.get();
  return std::shared_ptr<OpenDevice>(fresh.release(), [](OpenDevice* d) {
    d->unlink();
    delete d;
  });
}

Status OpenDevice::start(ibv_device* device) {
  pid_ = ::getpid();
  errno = 0;
  context_ = verbs_.openDevice(device);
  if (!context_) return failed(name_, "ibv_open_device", lastError());
  const int flags = ::fcntl(context_->async_fd, F_GETFL);
  if (flags < 0 || ::fcntl(context_->async_fd, F_SETFL, flags | O_NONBLOCK) != 0)
    return failed(name_, "making its event descriptor non-blocking", lastError());
  errno = 0;
  pd_ = verbs_.allocPd(context_);
  if (!pd_) return failed(name_, "ibv_alloc_pd", lastError());
  memory_ = std::make_unique<MrCache>(verbs_, pd_, name_);
  ibv_device_attr attributes{};
  if (const int error = verbs_.queryDevice(context_, &attributes)) return failed(name_, "ibv_query_device", error);
  ports_ = attributes.phys_port_cnt;
  health_ = std::make_unique<RailHealth[]>(ports_ + 1);
  uses_ = std::make_unique<RailUse[]>(ports_ + 1);
  queuePairs_ = std::make_unique<Ledger>("queue pairs of " + name_, attributes.max_qp,
                                         "set fewer channels (NCCL_NCHANNELS_PER_NET_PEER) or fewer queue pairs "
                                         "(NCCL_IB_QPS_PER_CONNECTION)");
  return {};
}

void OpenDevice::unlink() {
  const std::lock_guard lock(gMutex);
  for (OpenDevice** at = &gFirst; *at; at = &(*at)->next_)
    if (*at == this) {
      *at = next_;
      return;
    }
}

// In a forked child the parent's NIC is not ours to close: its verbs objects belong to the parent's descriptors.
OpenDevice::~OpenDevice() {
  if (pid_ != ::getpid()) {
    (void)memory_.release();
    return;
  }
  memory_.reset();
  if (pd_) (void)verbs_.deallocPd(pd_);
  if (context_) (void)verbs_.closeDevice(context_);
}

LocalRail localRail(const OpenDevice& device, const Port& port, const Mlx5& mlx5) {
  LocalRail rail;
  rail.context = device.context();
  rail.pd = device.pd();
  rail.port = port.number;
  rail.gidIndex = static_cast<uint8_t>(port.gid.index);
  rail.pkeyIndex = port.pkey.index;
  rail.maxMessage = port.maxMessage;
  rail.info = railInfo(port);
  rail.queuePairs = &device.queuePairs();
  rail.health = &device.health(port.number);
  rail.use = &device.use(port.number);
  if (port.bond && port.bond->members.size() > 1 && mlx5.modifyQpLagPort && isMlx5(mlx5, device.context()->device))
    rail.placement = {static_cast<uint8_t>(port.bond->members.size()), mlx5.modifyQpLagPort, &device.slaves()};
  return rail;
}

}  // namespace polyrail::net
