// SPDX-License-Identifier: Apache-2.0
// LL and LL128; see primitives.h. A step's data is unpacked from the peers' lines as they become valid, combined, and
// packed again. One thread per object.
#pragma once

#include "test/vgpu/kernel/primitives.h"

namespace polyrail::vgpu {

class Lines : public Primitives {
 public:
  Lines(Wiring wiring, int protocol);
  ~Lines() override;
  bool run(const Step& step) override;

 private:
  struct End {
    Connection connection;
    uint64_t step;
  };
  char* slot(const End& end) const;
  size_t lineCount(size_t bytes) const;
  bool waitForRoom(size_t lines);
  bool unpack(const End& end, char* data, size_t bytes);
  void pack(const End& end, const char* data, size_t bytes, size_t lines);
  void post(const Step& step);

  const int protocol_;
  std::vector<End> receivers_, senders_;
};

}  // namespace polyrail::vgpu
