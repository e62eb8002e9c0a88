// SPDX-License-Identifier: Apache-2.0
#include "net/path/path.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace polyrail::net {
namespace {

constexpr uint8_t kHopLimit = 255;
constexpr uint8_t kMinRnrTimer = 12;  // 0.64 ms; credits keep it from ever being used
constexpr uint8_t kRnrRetry = 7;

bool sameSubnet(const RailInfo& a, const RailInfo& b) {
  return std::equal(a.gid.begin(), a.gid.begin() + 8, b.gid.begin());
}

}  // namespace

Path& Path::operator=(Path&& other) noexcept {
  destroy();
  verbs_ = other.verbs_;
  rail_ = other.rail_;
  settings_ = other.settings_;
  qp_ = std::exchange(other.qp_, nullptr);
  lease_ = std::move(other.lease_);
  ece_ = other.ece_;
  firstPsn_ = other.firstPsn_;
  flowLabel_ = other.flowLabel_;
  mtuBytes_ = other.mtuBytes_;
  return *this;
}

Status Path::create(const Verbs& verbs, const LocalRail& rail, const PathSettings& settings, ibv_cq* cq,
                    QueueDepth depth, uint32_t firstPsn, uint32_t flowLabel) {
  verbs_ = &verbs;
  rail_ = &rail;
  settings_ = settings;
  firstPsn_ = firstPsn & 0xffffff;
  flowLabel_ = flowLabel & 0xfffff;
  if (rail.queuePairs) {
    Result<Ledger::Lease> lease = rail.queuePairs->take(1);
    if (!lease.ok()) return lease.status();
    lease_ = std::move(lease).value();
  }
  ibv_qp_init_attr init{};
  init.send_cq = init.recv_cq = cq;
  init.qp_type = IBV_QPT_RC;
  init.cap = {depth.send, depth.receive, 1, 1, settings.maxInline};
  qp_ = verbs.createQp(rail.pd, &init);
  if (!qp_)
    return Status::error(rail.info.name + ": cannot make a queue pair: " + std::strerror(errno) +
                         "; is the locked-memory limit (ulimit -l) or the device's number of queue pairs used up?");
  ibv_qp_attr a{};
  a.qp_state = IBV_QPS_INIT;
  a.pkey_index = rail.pkeyIndex;
  a.port_num = rail.port;
  a.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
  Status ready = modify(a, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, "INIT");
  if (ready.ok() && settings.ece) ece_ = queryEce();
  return ready;
}

// A library, a NIC or a driver that has none is no error: the connection does without.
Ece Path::queryEce() const {
  ibv_ece found{};
  if (!verbs_->queryEce || !verbs_->setEce || verbs_->queryEce(qp_, &found) != 0) return {};
  return {found.vendor_id, found.options, found.comp_mask};
}

// Options mean something to their vendor only.
Status Path::takeEce(const Ece& theirs) {
  if (ece_.vendor != theirs.vendor) ece_ = {};
  if (ece_.vendor == 0) return {};
  ibv_ece wanted{theirs.vendor, theirs.options, theirs.valid};
  const int error = verbs_->setEce(qp_, &wanted);
  if (error == 0) return {};
  return Status::error(rail_->info.name + ": ibv_set_ece failed: " + std::strerror(error) +
                       "; NCCL_IB_ECE_ENABLE=0 on all nodes does without it");
}

ibv_ah_attr Path::addressOf(const RailInfo& remote) const {
  ibv_ah_attr ah{};
  ah.port_num = rail_->port;
  ah.sl = settings_.serviceLevel;
  ah.dlid = remote.lid;
  // On InfiniBand a route header is needed only to leave the subnet.
  if (rail_->info.link == LinkLayer::kInfiniBand && sameSubnet(rail_->info, remote)) return ah;
  ah.is_global = 1;
  std::memcpy(&ah.grh.dgid, remote.gid.data(), remote.gid.size());
  ah.grh.flow_label = flowLabel_;
  ah.grh.sgid_index = rail_->gidIndex;
  ah.grh.hop_limit = kHopLimit;
  ah.grh.traffic_class = settings_.trafficClass;
  return ah;
}

Status Path::join(const RailInfo& remote, uint32_t queuePair, uint32_t firstPsn, const Ece& theirs) {
  if (Status taken = takeEce(theirs); !taken.ok()) return taken;
  ibv_qp_attr a{};
  a.qp_state = IBV_QPS_RTR;
  a.ah_attr = addressOf(remote);
  a.path_mtu = static_cast<ibv_mtu>(std::min(rail_->info.mtu, remote.mtu));
  a.dest_qp_num = queuePair;
  a.rq_psn = firstPsn;
  a.max_dest_rd_atomic = 1;
  a.min_rnr_timer = kMinRnrTimer;
  mtuBytes_ = 128u << a.path_mtu;
  Status status = modify(a,
                         IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
                             IBV_QP_MIN_RNR_TIMER,
                         "RTR");
  if (!status.ok()) return status;
  a = {};
  a.qp_state = IBV_QPS_RTS;
  a.timeout = settings_.timeout;
  a.retry_cnt = settings_.retryCount;
  a.rnr_retry = kRnrRetry;
  a.sq_psn = firstPsn_;
  a.max_rd_atomic = 1;
  status = modify(a, IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC,
                  "RTS");
  if (!status.ok() || ece_.vendor == 0) return status;
  ece_ = queryEce();
  return ece_.vendor ? status : Status::error(rail_->info.name + ": ibv_query_ece fails after ibv_set_ece");
}

int Path::stop() {
  ibv_qp_attr a{};
  a.qp_state = IBV_QPS_ERR;
  const int error = verbs_->modifyQp(qp_, &a, IBV_QP_STATE);
  return error < 0 ? errno : error;
}

Status Path::modify(ibv_qp_attr& attributes, int mask, const char* state) {
  const int error = verbs_->modifyQp(qp_, &attributes, mask | IBV_QP_STATE);
  if (error == 0) return {};
  return Status::error(rail_->info.name + ": queue pair " + std::to_string(number()) + " does not go to " + state +
                       ": " + std::strerror(error > 0 ? error : errno));
}

void Path::destroy() {
  if (qp_) verbs_->destroyQp(qp_);
  qp_ = nullptr;
  lease_ = {};
}

}  // namespace polyrail::net
