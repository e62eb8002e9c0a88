// SPDX-License-Identifier: Apache-2.0
// Whether this build is sanitized: such a library cannot be loaded into a program that was built without.
#pragma once

namespace polyrail::emu {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

}  // namespace polyrail::emu
