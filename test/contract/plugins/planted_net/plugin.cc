// SPDX-License-Identifier: Apache-2.0
// Copies of the reference plugin with one defect each. All are this one library: a copy of the file finds out from
// its own name which defect to plant, lost-byte.so for example; a name that is no defect plants none.
#include <dlfcn.h>

#include <string>

#include "test/contract/plugins/planted_net/defects.h"

extern "C" {
__attribute__((visibility("default")))
polyrail::nccl::NetV12 ncclNetPlugin_v12 = {.name = "planted",
                                            .init = reference::initV11,
                                            .devices = reference::devices,
                                            .getProperties = reference::getProperties,
                                            .listen = reference::listenV11,
                                            .connect = reference::connectV11,
                                            .accept = reference::acceptV7,
                                            .regMr = reference::regMrV8,
                                            .regMrDmaBuf = reference::regMrDmaBuf,
                                            .deregMr = reference::deregMr,
                                            .isend = planted::isend,
                                            .irecv = planted::irecv,
                                            .iflush = reference::iflush,
                                            .test = planted::test,
                                            .closeSend = reference::closeSend,
                                            .closeRecv = reference::closeRecv,
                                            .closeListen = reference::closeListen,
                                            .getDeviceMr = nullptr,
                                            .irecvConsumed = nullptr,
                                            .makeVDevice = reference::fuseV12,
                                            .finalize = reference::finalize,
                                            .setNetAttr = reference::setNetAttr};
}

namespace planted {
namespace {

std::string ownName() {
  Dl_info self = {};
  if (dladdr(&ncclNetPlugin_v12, &self) == 0) return "";
  std::string name = self.dli_fname;
  name = name.substr(name.rfind('/') + 1);
  return name.substr(0, name.rfind('.'));
}

__attribute__((constructor)) void plant() {
  const std::string name = ownName();
  for (const auto& some : {receiveDefects(), sendDefects(), memoryDefects(), connectionDefects(), lifeDefects()})
    for (const Defect& defect : some)
      if (name == defect.name) defect.plant(ncclNetPlugin_v12);
}

}  // namespace
}  // namespace planted
