// SPDX-License-Identifier: Apache-2.0
// Net ABI v11, NCCL 2.28 and 2.29. It added contexts, finalize and hints.
#include "net/plugin/entry_points.h"

namespace polyrail::net {

extern "C"
    [[gnu::visibility("default")]] const nccl::NetV11 ncclNetPlugin_v11 = {kNetName,
                                                                           initV11,
                                                                           countDevices<Node::Fusion::kByNccl>,
                                                                           getProperties<nccl::NetPropertiesV11>,
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
                                                                           makeVDevice<nccl::NetVDevicePropsV11>,
                                                                           closeContext,
                                                                           setNetAttrV11};

}  // namespace polyrail::net
