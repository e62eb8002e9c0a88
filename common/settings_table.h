// SPDX-License-Identifier: Apache-2.0
// The rows of settings(), by reader. Constant data; any thread.
#pragma once

#include <span>

#include "common/settings.h"

namespace polyrail {

std::span<const Setting> allSettings();

}  // namespace polyrail
