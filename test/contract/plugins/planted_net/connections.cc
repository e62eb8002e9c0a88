// SPDX-License-Identifier: Apache-2.0
// Defects of devices, of connecting and of closing.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <mutex>

#include "test/contract/plugins/planted_net/defects.h"

namespace planted {
namespace {

void noNdevs(NetV12& table) {
  table.getProperties = [](int device, NetPropertiesV12* p) {
    const int asFound = p->vProps.ndevs;
    const Result result = reference::getProperties(device, p);
    p->vProps.ndevs = asFound;
    return result;
  };
}

void virtualNumber(NetV12& table) {
  table.makeVDevice = [](int* device, NetVDevicePropsV12* p) {
    const Result result = reference::fuseV12(device, p);
    *device = 0;
    return result;
  };
}

void blockingConnect(NetV12& table) {
  table.connect = [](void* context, int device, void* handle, void** comm, NetDeviceHandle** place) {
    usleep(400'000);
    return reference::connectV11(context, device, handle, comm, place);
  };
}

void blockingAccept(NetV12& table) {
  table.accept = [](void* listener, void** comm, NetDeviceHandle** place) {
    Result result = reference::acceptV7(listener, comm, place);
    for (int i = 0; i < 40 && result == Result::kSuccess && *comm == nullptr; i++) {
      usleep(10'000);
      result = reference::acceptV7(listener, comm, place);
    }
    return result;
  };
}

// Writes where NCCL's probe gives no place.
void deviceHandle(NetV12& table) {
  table.connect = [](void* context, int device, void* handle, void** comm, NetDeviceHandle** place) {
    *place = nullptr;
    return reference::connectV11(context, device, handle, comm, place);
  };
}

// The comms of a listener end with it.
void listenerOwns(NetV12& table) {
  struct Child {
    void* listener;
    int fd;
  };
  static std::mutex mutex;
  static std::vector<Child> children;
  table.accept = [](void* listener, void** comm, NetDeviceHandle** place) {
    const Result result = reference::acceptV7(listener, comm, place);
    std::lock_guard lock(mutex);
    if (*comm) children.push_back({listener, static_cast<reference::RecvComm*>(*comm)->stream.fd()});
    return result;
  };
  table.closeListen = [](void* listener) {
    std::lock_guard lock(mutex);
    for (const Child& child : children)
      if (child.listener == listener) shutdown(child.fd, SHUT_RDWR);
    std::erase_if(children, [&](const Child& child) { return child.listener == listener; });
    return reference::closeListen(listener);
  };
}

void slowClose(NetV12& table) {
  table.closeRecv = [](void* comm) {
    static bool slept;
    if (!slept) slept = true, usleep(3'300'000);
    return reference::closeRecv(comm);
  };
}

// Waits until the peer has said goodbye.
void endlessClose(NetV12& table) {
  table.closeSend = [](void* comm) {
    const int fd = static_cast<reference::SendComm*>(comm)->stream.fd();
    shutdown(fd, SHUT_WR);
    char rest[4096];
    for (pollfd ready{fd, POLLIN, 0}; poll(&ready, 1, -1) > 0 && recv(fd, rest, sizeof(rest), 0) > 0;) continue;
    return reference::closeSend(comm);
  };
}

constexpr Defect kDefects[] = {
    {"no-ndevs", noNdevs},
    {"virtual-number", virtualNumber},
    {"blocking-connect", blockingConnect},
    {"blocking-accept", blockingAccept},
    {"device-handle", deviceHandle},
    {"listener-owns", listenerOwns},
    {"slow-close", slowClose},
    {"endless-close", endlessClose},
};

}  // namespace

std::span<const Defect> connectionDefects() { return kDefects; }

}  // namespace planted
