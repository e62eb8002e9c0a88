// SPDX-License-Identifier: Apache-2.0
// "Did you mean" under the name that the verbs use; the thing itself is shared with the policy parser.
#pragma once

#include "common/text/suggest.h"

namespace polyrail::cli {

using polyrail::didYouMean;
using polyrail::editDistance;

}  // namespace polyrail::cli
