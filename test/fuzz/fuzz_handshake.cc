// SPDX-License-Identifier: Apache-2.0
// Any bytes from a peer end a handshake in success, an error or patience; on either side, in pieces of any size. The
// first byte says which side and how the bytes are cut; what follows the secret is the fuzzer's own.
#include <cerrno>

#include "net/connect/handshake.h"
#include "test/unit/net-connect/memory_stream.h"

using namespace polyrail;
using namespace polyrail::net;

namespace {

constexpr Secret kSecret{'p', 'o', 'l', 'y', 'r', 'a', 'i', 'l'};

// A node whose verbs refuse everything: what a peer says must not matter.
Verbs refusingVerbs() {
  Verbs v{};
  v.createCq = [](ibv_context*, int, void*, ibv_comp_channel*, int) -> ibv_cq* { return errno = ENOMEM, nullptr; };
  v.createQp = [](ibv_pd*, ibv_qp_init_attr*) -> ibv_qp* { return errno = ENOMEM, nullptr; };
  v.regMr = [](ibv_pd*, void*, size_t, int) -> ibv_mr* { return errno = ENOMEM, nullptr; };
  return v;
}

CommOptions commOptions(const Verbs& verbs, const Clock& clock) {
  CommOptions o;
  o.verbs = &verbs;
  o.clock = &clock;
  o.rails.resize(2);
  for (LocalRail& rail : o.rails) rail.info.name = "nic:1", rail.info.mtu = 5;
  return o;
}

void receiverSide(const HandshakeOptions& options, const CommOptions& comm, std::unique_ptr<Stream> stream,
                  int turns) {
  ReceiveHandshake handshake(options, kSecret, Channel(std::move(stream)));
  Result<bool> done = false;
  for (int i = 0; i < turns && done.ok() && !done.value(); i++) {
    done = handshake.served() ? handshake.advance() : handshake.greet();
    if (done.ok() && done.value() && !handshake.served()) {
      handshake.serve(comm);
      done = false;
    }
  }
}

void senderSide(const HandshakeOptions& options, const CommOptions& comm, std::unique_ptr<Stream> stream, int turns) {
  SendHandshake handshake(options, kSecret, Channel(std::move(stream)), comm);
  Result<bool> done = false;
  for (int i = 0; i < turns && done.ok() && !done.value(); i++) done = handshake.advance();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  static const Verbs verbs = refusingVerbs();
  const ManualClock clock;
  HandshakeOptions options;
  options.clock = &clock;
  options.mismatchIsError = data[0] & 2;
  StreamPair streams;
  const bool receiver = data[0] & 1;
  Pipe& in = receiver ? *streams.toReceiver : *streams.toSender;
  in.bytes.assign(data + 1, data + size);
  in.atOnce = static_cast<size_t>(data[0] >> 2) + 1;
  const auto comm = commOptions(verbs, clock);
  const int turns = static_cast<int>(size) + 16;
  if (receiver)
    receiverSide(options, comm, streams.receiver(), turns);
  else
    senderSide(options, comm, streams.sender(), turns);
  return 0;
}
