// SPDX-License-Identifier: Apache-2.0
// Any bytes from a stranger are a message of the handshake or the repair, or one sentence; what is accepted encodes
// to itself.
#include <cstdlib>

#include "net/wire/message.h"
#include "net/wire/repair.h"

using namespace polyrail::net;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const uint8_t> bytes(data, size);
  if (size >= kFrameHeader) (void)decodeFrame(bytes.first(kFrameHeader));
  const auto check = [&](const auto& decoded, auto&& encoder) {
    if (!decoded.ok()) return;
    const std::vector<uint8_t> again = encoder(decoded.value());
    if (again.size() != size + kFrameHeader || !std::equal(bytes.begin(), bytes.end(), again.begin() + kFrameHeader))
      std::abort();
  };
  const auto plainly = [](const auto& m) { return encode(m); };
  check(decodeHello(bytes), plainly);
  check(decodeWelcome(bytes), plainly);
  check(decodeRefused(bytes), plainly);
  check(decodePaths(bytes), plainly);
  check(decodeReady(bytes), plainly);
  check(decodePathDown(bytes), plainly);
  check(decodeFence(bytes, 1), plainly);
  check(decodeFenced(bytes, 1), plainly);
  check(decodeNewPath(bytes), [](const NewPath& m) { return encodeMake(m); });
  check(decodeProve(bytes), plainly);
  check(decodeLive(bytes), plainly);
  check(decodeAbort(bytes), plainly);
  return 0;
}
