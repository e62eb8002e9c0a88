// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/decision_digest.h"

#include <random>
#include <span>

#include "common/policy/policy_file.h"

namespace polyrail::contract {
namespace {

template <typename T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void append(std::string& bytes, const Outcome& o) {
  for (const float cost : o.after.entries()) append(bytes, cost);
  append(bytes, o.channelsAnswer);
  append(bytes, o.channels);
  for (const ChunkCall& chunk : o.chunks) append(bytes, chunk.answered);
  for (const std::string& fault : o.faults) bytes += fault;
}

}  // namespace

std::string digestOfDecisions(const TunerHost& host, const CommShape& shape, uint64_t seed) {
  Result<Communicator> comm = host.create(shape);
  if (!comm.ok()) return comm.message();
  std::mt19937_64 random(seed);
  std::string bytes;
  append(bytes, comm.value().constants);
  for (int collective = 0; collective < nccl::kNumCollectives; collective++)
    for (int bits = 0; bits <= 40; bits++) {
      const size_t base = size_t{1} << bits;
      for (const size_t size : {base - 1, base, base + random() % base}) {
        const Call call{.collective = collective, .bytes = size, .pipeOps = 1 + static_cast<int>(random() % 4)};
        append(bytes, host.ask(comm.value(), call));
      }
    }
  host.destroy(comm.value());
  return policyDigest(bytes);
}

}  // namespace polyrail::contract
