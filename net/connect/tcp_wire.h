// SPDX-License-Identifier: Apache-2.0
// The wire of a node: non-blocking TCP on one interface. Safe for any number of threads; streams and doors as wire.h
// says. Descriptors are closed on exec, and a peer that vanishes without a word is noticed by keep-alive.
#pragma once

#include "net/connect/interfaces.h"
#include "net/connect/wire.h"
#include "net/settings.h"

namespace polyrail::net {

class TcpWire final : public Wire {
 public:
  // Addresses are those of `interface`.
  TcpWire(Interface interface, const ConnectSettings& settings)
      : interface_(std::move(interface)), settings_(settings) {}

  Result<std::unique_ptr<Door>> listen() override;
  Result<std::unique_ptr<Stream>> dial(const WireAddress& address) override;
  const Interface& interface() const { return interface_; }

 private:
  const Interface interface_;
  const ConnectSettings settings_;
};

}  // namespace polyrail::net
