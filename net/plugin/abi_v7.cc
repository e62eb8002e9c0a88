// SPDX-License-Identifier: Apache-2.0
// Net ABI v7, NCCL 2.19. It added the device-side handles, which stay null here.
#include "net/plugin/entry_points.h"

namespace polyrail::net {

extern "C" [[gnu::visibility("default")]] const nccl::NetV7 ncclNetPlugin_v7 = {kNetName,
                                                                                initV6<Node::Fusion::kByUs>,
                                                                                countDevices<Node::Fusion::kByUs>,
                                                                                getProperties<nccl::NetPropertiesV7>,
                                                                                listenV6<Node::Fusion::kByUs>,
                                                                                connectV7<Node::Fusion::kByUs>,
                                                                                acceptV7,
                                                                                regMrV6,
                                                                                registerMemory,
                                                                                deregisterMemory,
                                                                                isendV6,
                                                                                irecvV6,
                                                                                flush,
                                                                                testRequest,
                                                                                closeEnd,
                                                                                closeEnd,
                                                                                closeListener,
                                                                                nullptr /* getDeviceMr */,
                                                                                nullptr /* irecvConsumed */};

}  // namespace polyrail::net
