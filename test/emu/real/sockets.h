// SPDX-License-Identifier: Apache-2.0
// The system calls of the real-time transport: abstract sockets, shared memory, and what two processes say to each
// other when they meet. Stateless; every function may be called by every thread. Descriptors are close-on-exec and
// never block.
#pragma once

#include <cstdint>
#include <string>

namespace polyrail::emu {

constexpr uint32_t kGreetingVersion = 3;
constexpr char kReadsMemory = 'r', kWantsCopies = 'c';

// Sent by whoever connects, with the descriptor of the ring.
struct Greeting {
  uint32_t version;
  uint64_t cookieAddress, cookie;  // to try whether the reader may read the sender's memory
};

int64_t monotonicNs();
int bindAbstract(const std::string& name);     // -1: taken, or no sockets; nobody gets through before
bool listenOn(int fd);                         // ... this
int connectAbstract(const std::string& name);  // -1: nobody there
int acceptAbstract(int listener);
int makeSharedMemory(size_t size);
bool sendGreeting(int fd, const Greeting& greeting, int memory);
// The descriptor that came along, -1 if none did; waits for it at most a second. `pid` is the sender's, from the
// kernel.
int receiveGreeting(int fd, Greeting* greeting, int* pid);
void wakePeer(int fd);
// Reads away wake-ups; false when the other side is gone.
bool drainWakeUps(int fd);

}  // namespace polyrail::emu
