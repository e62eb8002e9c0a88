// SPDX-License-Identifier: Apache-2.0
// Net ABI v9, NCCL 2.24 and 2.25. Sizes of any length, and NCCL asks for fusion.
#include "net/plugin/entry_points.h"

namespace polyrail::net {

extern "C" [[gnu::visibility("default")]] const nccl::NetV9 ncclNetPlugin_v9 = {kNetName,
                                                                                initV6<Node::Fusion::kByNccl>,
                                                                                countDevices<Node::Fusion::kByNccl>,
                                                                                getProperties<nccl::NetPropertiesV9>,
                                                                                listenV6<Node::Fusion::kByNccl>,
                                                                                connectV7<Node::Fusion::kByNccl>,
                                                                                acceptV7,
                                                                                regMrV8,
                                                                                registerMemory,
                                                                                deregisterMemory,
                                                                                isendV9,
                                                                                irecvV9,
                                                                                flush,
                                                                                testRequest,
                                                                                closeEnd,
                                                                                closeEnd,
                                                                                closeListener,
                                                                                nullptr /* getDeviceMr */,
                                                                                nullptr /* irecvConsumed */,
                                                                                makeVDevice<nccl::NetVDevicePropsV9>};

}  // namespace polyrail::net
