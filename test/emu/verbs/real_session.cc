// SPDX-License-Identifier: Apache-2.0
#include "test/emu/verbs/session.h"
namespace polyrail::emu {
Session* makeRealSession() { return nullptr; }
}  // namespace polyrail::emu
