// SPDX-License-Identifier: Apache-2.0
// The SIMPLE protocol; see primitives.h. One thread per object.
#pragma once

#include "test/vgpu/kernel/primitives.h"

namespace polyrail::vgpu {

class Simple : public Primitives {
 public:
  explicit Simple(Wiring wiring);
  ~Simple() override;
  bool run(const Step& step) override;

 private:
  struct End {
    Connection connection;
    uint64_t step;
    bool direct;  // the NIC reads or writes the user's buffer
  };
  End makeEnd(const Connection& connection) const;
  void openReceiver(const Connection& connection);
  void openSender(const Connection& connection);
  char* slot(const End& end) const;
  char* userPlace(const Step& step, size_t at) const;
  bool waitForPeers(const Step& step);
  void moveSlice(const Step& step, size_t offset, size_t count);
  void post(const Step& step);

  std::vector<End> receivers_, senders_;
};

}  // namespace polyrail::vgpu
