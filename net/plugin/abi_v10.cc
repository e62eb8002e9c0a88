// SPDX-License-Identifier: Apache-2.0
// Net ABI v10, NCCL 2.26 and 2.27. It added the profiler and a traffic class for each communicator.
#include "net/plugin/entry_points.h"

namespace polyrail::net {

extern "C"
    [[gnu::visibility("default")]] const nccl::NetV10 ncclNetPlugin_v10 = {kNetName,
                                                                           initV10,
                                                                           countDevices<Node::Fusion::kByNccl>,
                                                                           getProperties<nccl::NetPropertiesV10>,
                                                                           listenV6<Node::Fusion::kByNccl>,
                                                                           connectV10,
                                                                           acceptV7,
                                                                           regMrV8,
                                                                           registerMemory,
                                                                           deregisterMemory,
                                                                           send,
                                                                           irecvV10,
                                                                           flush,
                                                                           testRequest,
                                                                           closeEnd,
                                                                           closeEnd,
                                                                           closeListener,
                                                                           nullptr /* getDeviceMr */,
                                                                           nullptr /* irecvConsumed */,
                                                                           makeVDevice<nccl::NetVDevicePropsV10>};

}  // namespace polyrail::net
