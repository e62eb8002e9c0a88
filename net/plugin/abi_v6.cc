// SPDX-License-Identifier: Apache-2.0
// Net ABI v6, NCCL 2.13 to 2.18. Sizes are int, fusion is ours to decide, and nobody calls finalize.
#include "net/plugin/entry_points.h"

namespace polyrail::net {

extern "C" [[gnu::visibility("default")]] const nccl::NetV6 ncclNetPlugin_v6 = {kNetName,
                                                                                initV6<Node::Fusion::kByUs>,
                                                                                countDevices<Node::Fusion::kByUs>,
                                                                                getProperties<nccl::NetPropertiesV6>,
                                                                                listenV6<Node::Fusion::kByUs>,
                                                                                connectV6<Node::Fusion::kByUs>,
                                                                                acceptFrom,
                                                                                regMrV6,
                                                                                registerMemory,
                                                                                deregisterMemory,
                                                                                isendV6,
                                                                                irecvV6,
                                                                                flush,
                                                                                testRequest,
                                                                                closeEnd,
                                                                                closeEnd,
                                                                                closeListener};

}  // namespace polyrail::net
