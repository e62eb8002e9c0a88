// SPDX-License-Identifier: Apache-2.0
// docs/versioning.md as a test reads it: the cells of its tables. A value; one thread.
#pragma once

#include <string>
#include <vector>

namespace polyrail::test {

using Row = std::vector<std::string>;  // cells, without the blanks around them

// The rows below the heading ("" for what stands before the first), without the table's own head.
std::vector<Row> rowsBelow(const std::string& heading);

// What stands between backticks, in order.
std::vector<std::string> quoted(const std::string& cell);

// A file of the checkout; "" when it is not there.
std::string checkoutFile(const std::string& name);

}  // namespace polyrail::test
