// SPDX-License-Identifier: Apache-2.0
#include "net/data/request.h"

#include "net/data/test_request.h"

namespace polyrail::net {

Outcome test(Request* request, int* done, int* sizes) { return testInline(request, done, sizes); }

}  // namespace polyrail::net
