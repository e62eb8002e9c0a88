// SPDX-License-Identifier: Apache-2.0
// Net ABI v12, NCCL 2.30 and 2.31. Eight NICs in a virtual one, rails and planes.
#include "net/plugin/entry_points.h"

namespace polyrail::net {

extern "C"
    [[gnu::visibility("default")]] const nccl::NetV12 ncclNetPlugin_v12 = {kNetName,
                                                                           initV11,
                                                                           countDevices<Node::Fusion::kByNccl>,
                                                                           getProperties<nccl::NetPropertiesV12>,
                                                                           listenV11,
                                                                           connectV11,
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
                                                                           makeVDevice<nccl::NetVDevicePropsV12>,
                                                                           closeContext,
                                                                           setNetAttrV11};

}  // namespace polyrail::net
