// SPDX-License-Identifier: Apache-2.0
// Random policies, communicators and calls for rapidcheck: everything that is valid, with a liking for edges. Pure
// descriptions; any thread may build one, rapidcheck runs it.
#pragma once

#include <rapidcheck.h>

#include <ostream>

#include "common/policy/policy.h"
#include "test/contract/host/comm_shape.h"

namespace polyrail {

// How a counterexample is printed; rapidcheck finds these by their argument.
void showValue(const Policy& policy, std::ostream& out);

namespace contract {

void showValue(const CommShape& shape, std::ostream& out);
void showValue(const Call& call, std::ostream& out);

// Passes parsePolicy after writePolicy. 0..6 tables of 0..8 rules.
rc::Gen<Policy> anyPolicy();

// 2..512 ranks in even or uneven nodes, with and without NVLS, CollNet, LL128 and environment filters.
rc::Gen<CommShape> anyShape();

// Any collective (unknown ones too), size (0, edges of the policy's rules, up to 1 TiB, SIZE_MAX) and group.
rc::Gen<Call> anyCall(const Policy& policy, const CommShape& shape);

}  // namespace contract
}  // namespace polyrail
