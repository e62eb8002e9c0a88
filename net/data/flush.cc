// SPDX-License-Identifier: Apache-2.0
#include "net/data/flush.h"

#include <algorithm>
#include <cerrno>

#include "net/data/work_id.h"

namespace polyrail::net {

void Flusher::start(void* comm, size_t rails) {
  rails_ = std::vector<Rail>(rails);
  for (Flush& f : pool_) f.kind = Request::Kind::kFlush, f.comm = comm;
}

Status Flusher::prepare(PathSet& set, unsigned rail) {
  PathSet::Rail& r = set.rails()[rail];
  Path& loop = rails_[rail].loop;
  const CommOptions& o = set.options();
  PathSettings settings = o.path;
  settings.ece = false;  // both ends are one
  Status made = loop.create(*o.verbs, r.local, settings, r.cq, {kDepth, 1}, set.random(), 0);
  if (made.ok()) made = loop.join(r.local.info, loop.number(), loop.firstPsn());
  if (!made.ok()) loop.destroy();
  return made;
}

Flusher::Flush* Flusher::take() {
  for (unsigned i = 0; i < kSlots; i++) {
    Flush& f = pool_[next_++ % kSlots];
    if (!f.busy) return &f;
  }
  return nullptr;
}

// A read at the end of the region when the buffer is empty and begins there.
int Flusher::read(PathSet& set, unsigned rail, uint64_t landing, void* data, const MemoryKeys& keys, Flush& flush) {
  PathSet::Rail& r = set.rails()[rail];
  const uint64_t lastByte = keys.address + keys.length - 1;
  ibv_sge sge{landing, 1, r.control.lkey()};
  ibv_send_wr wr{};
  ibv_send_wr* bad;
  wr.wr_id = WorkId::of(Work::kFlush, rail, 0, static_cast<unsigned>(&flush - pool_.data())).bits;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.opcode = IBV_WR_RDMA_READ;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.wr.rdma.remote_addr =
      keys.length ? std::min(reinterpret_cast<uint64_t>(data), lastByte) : reinterpret_cast<uint64_t>(data);
  wr.wr.rdma.rkey = keys.rkey[rail];
  return postSend(rails_[rail].loop.queuePair(), &wr, &bad);
}

int Flusher::flush(PathSet& set, uint64_t landing, unsigned n, void* const* data, const MemoryKeys* const* keys,
                   Request** request) {
  *request = nullptr;
  Flush* flush = nullptr;
  for (unsigned rail = 0; rail < rails_.size(); rail++) {
    Rail& r = rails_[rail];
    // A READ that is under way may have been posted before what this caller waits for arrived.
    if (!r.loop.queuePair() || (!r.unflushed && r.underWay == 0)) continue;
    if (!flush && !(flush = take())) return ENOMEM;
    for (unsigned i = 0; i < n; i++) {
      if (const int error = read(set, rail, landing, data[i], *keys[i], *flush)) return error;
      flush->left++;
      flush->on[rail]++;
      r.underWay++;
    }
    r.unflushed = false;
  }
  if (flush) flush->busy = true;
  *request = flush;
  return 0;
}

void Flusher::complete(unsigned rail, unsigned request) {
  rails_[rail].underWay--;
  pool_[request].left--;
  pool_[request].on[rail]--;
}

}  // namespace polyrail::net
