// SPDX-License-Identifier: Apache-2.0
// Registered pages and fork(): before Linux 5.12 a fork could take a registered page from the parent. Stateless.
#pragma once

#include "net/verbs/verbs.h"

namespace polyrail::net {

// To be called before the first registration. Nothing where the kernel copies registered pages at the fork by itself
// (libibverbs tells since 1.13); else ibv_fork_init, which fails harmlessly when others have registered already.
inline void prepareForFork(const Verbs& verbs) {
  const bool unneeded = verbs.isForkInitialized && verbs.isForkInitialized() == IBV_FORK_UNNEEDED;
  if (!unneeded && verbs.forkInit) (void)verbs.forkInit();
}

}  // namespace polyrail::net
