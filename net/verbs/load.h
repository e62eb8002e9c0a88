// SPDX-License-Identifier: Apache-2.0
// Opens a verbs library by dlopen, so that the plugin and the command load on nodes without rdma-core. The plugin
// links none. Call it under the plugin's init lock; the result is a plain value that the caller closes when no
// context, no thread and no object of the library is left.
#pragma once

#include <string>

#include "common/status.h"
#include "net/verbs/verbs.h"

namespace polyrail::net {

struct VerbsLibrary {
  Verbs verbs{};
  void* handle = nullptr;
  std::string name;  // as it was opened: "libibverbs.so.1"
};

// `name` is what NCCL_IBVERBS_LIB says; empty: libibverbs.so.1. The error names the library, the symbol or the
// loader's reason, and the package that is missing.
Result<VerbsLibrary> loadVerbs(const std::string& name);
void closeVerbs(VerbsLibrary& library);

}  // namespace polyrail::net
