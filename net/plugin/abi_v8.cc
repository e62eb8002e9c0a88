// SPDX-License-Identifier: Apache-2.0
// Net ABI v8, NCCL 2.20 to 2.23. Registrations of any size.
#include "net/plugin/entry_points.h"

namespace polyrail::net {

extern "C" [[gnu::visibility("default")]] const nccl::NetV8 ncclNetPlugin_v8 = {kNetName,
                                                                                initV6<Node::Fusion::kByUs>,
                                                                                countDevices<Node::Fusion::kByUs>,
                                                                                getProperties<nccl::NetPropertiesV8>,
                                                                                listenV6<Node::Fusion::kByUs>,
                                                                                connectV7<Node::Fusion::kByUs>,
                                                                                acceptV7,
                                                                                regMrV8,
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
