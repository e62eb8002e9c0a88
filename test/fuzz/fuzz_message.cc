// SPDX-License-Identifier: Apache-2.0
// Any bytes from a stranger are a message of the handshake or one sentence; what is accepted encodes to itself.
#include <cstdlib>

#include "net/wire/message.h"

using namespace polyrail::net;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const uint8_t> bytes(data, size);
  if (size >= kFrameHeader) (void)decodeFrame(bytes.first(kFrameHeader));
  const auto check = [&](const auto& decoded) {
    if (!decoded.ok()) return;
    const std::vector<uint8_t> again = encode(decoded.value());
    if (again.size() != size + kFrameHeader || !std::equal(bytes.begin(), bytes.end(), again.begin() + kFrameHeader))
      std::abort();
  };
  check(decodeHello(bytes));
  check(decodeWelcome(bytes));
  check(decodeRefused(bytes));
  check(decodePaths(bytes));
  check(decodeReady(bytes));
  return 0;
}
