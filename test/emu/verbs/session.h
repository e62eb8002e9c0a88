// SPDX-License-Identifier: Apache-2.0
// Which World the verbs calls of this process act on, and how they enter it. In virtual time a Simulation is the
// session: no lock, no thread. In real time the session is made on the first call from EMU_FABRIC, EMU_HOST and
// EMU_FAULTS, lives until the process ends, and any thread may call.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "test/emu/core/calls.h"
#include "test/emu/core/world.h"

namespace polyrail::emu {

class Session {
 public:
  virtual ~Session() = default;
  World& world() { return *world_; }
  int host() const { return host_; }  // whose devices ibv_get_device_list shows
  virtual void lock() {}              // also brings the World up to the present
  virtual void unlock() {}
  virtual void pause(int host, Time delay) = 0;  // a call that takes longer
  virtual bool realTime() const { return false; }
  virtual void opened() {}                               // a device is being opened; called outside lock()
  virtual int64_t presentNs() { return world_->now(); }  // asked without the lock
  // Whether anything may have happened since the World was last turned; asked without the lock.
  virtual bool due() { return true; }

 protected:
  std::unique_ptr<World> world_;
  int host_ = 0;
};

// The session in force, made if need be; null when that failed (errno says why, one line on stderr too).
Session* currentSession();
// Virtual time: the Simulation that is in force from now on, or null.
void setSession(Session* session);
// Real time (real_session.cc).
Session* makeRealSession();

// One verbs call: enters the session, counts and charges the call, and says whether a fault makes it fail.
class Entry {
 public:
  Entry(Session* session, Call call, int host);
  ~Entry() { session_->unlock(); }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;
  int error() const { return error_; }  // errno that a fault wants, 0: go on
  World& world() { return session_->world(); }

 private:
  Session* session_;
  int error_;
};

// In real time, sleeps while `busy`, which is asked under the lock.
void waitWhile(Session* session, const std::function<bool()>& busy);

}  // namespace polyrail::emu
