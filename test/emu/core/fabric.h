// SPDX-License-Identifier: Apache-2.0
// The description of a fabric: hosts, their NICs, the ports and the addresses, and how fast and how far each rail
// is. Plain values, read from JSON (test/emu/README.md has the format) or filled in by a test; a World copies it and
// never changes it. Rates are bits a second, times nanoseconds; a rate of 0 means as fast as the machine copies.
#pragma once

#include <infiniband/verbs.h>

#include <string>
#include <vector>

#include "common/status.h"
#include "test/emu/core/event_queue.h"
#include "test/emu/core/profile.h"

namespace polyrail::emu {

struct GidSpec {
  ibv_gid gid{};
  ibv_gid_type type = IBV_GID_TYPE_ROCE_V2;
  std::string ndev;
};

struct PortSpec {
  bool ethernet = true;
  std::string address;  // "10.77.0.1/24"; Ethernet only
  std::string ndev;     // network interface name; Ethernet only
  uint16_t lid = 0;     // InfiniBand only
  int plane = 0;        // ports of different planes cannot reach each other
  int64_t rate = 100'000'000'000;
  int64_t speed = 0;          // what the port announces; 0: its rate
  Time latency = 1'000;       // one way
  Time jitter = 0;            // up to this much is added to the latency; order is kept
  double loss = 0;            // of a packet of one MTU
  int64_t window = 16 << 20;  // bytes one queue pair may have on the way
  int mtu = 4096;
  std::vector<uint16_t> pkeys{0xffff};
  std::vector<GidSpec> gids;  // empty: made from address, ndev or lid
};

struct Limits {
  int64_t maxQp = 131072, maxCq = 131072, maxMr = 1 << 20, maxPd = 65536, maxSrq = 65536, maxAh = 65536;
  int64_t maxQpWr = 32768, maxCqe = 4194303, maxSge = 30, maxInline = 512, maxRdAtomic = 16;
  int64_t memlock = 0;   // bytes that may be registered, 0: no limit
  int64_t qpnRange = 0;  // queue pair numbers in use at all, so that they are reused soon; 0: all
};

struct NicSpec {
  std::string name;
  std::string pci;  // "0000:17:00.0"
  int numa = 0;
  uint64_t guid = 0;  // host order
  uint32_t vendorId = 0x02c9, partId = 4129;
  uint32_t eceOptions = 0;  // 0: the NIC has no enhanced connection establishment
  std::string firmware = "28.39.1002", board = "POLYRAIL_EMU";
  std::vector<PortSpec> ports;
  Limits limits;
};

struct HostSpec {
  std::string name;
  std::vector<NicSpec> nics;
};

// CPU time that one call costs its caller in virtual time.
struct CpuCosts {
  Time post = 100, poll = 50, other = 1'000;
};

struct Fabric {
  const Profile* profile = findProfile("spec");
  uint64_t seed = 1;
  int64_t segment = 64 << 10;  // bytes of a message that travel as one event; rounded to whole MTUs
  int64_t headerBytes = 0;     // per MTU packet, on top of the payload; 0: rates are of payload
  CpuCosts cpu;
  std::vector<HostSpec> hosts;
  std::vector<std::pair<std::string, std::string>> cables;  // back to back: one end down takes the other's carrier
};

// Text of a fabric file; `name` is used in errors. Names and GUIDs that were left out are made up.
Result<Fabric> parseFabric(const std::string& text, const std::string& name);
// Two hosts "a" and "b" with two 100 Gb/s Ethernet rails each.
Fabric defaultFabric();
// Fills in what a description left out: names, PCI addresses, GUIDs, GID tables. Called by parseFabric.
void completeFabric(Fabric* fabric);
// Address text ("fe80::1", "::ffff:10.0.0.1", "10.0.0.1") to a GID.
bool parseGid(const std::string& text, ibv_gid* gid);

}  // namespace polyrail::emu
