// SPDX-License-Identifier: Apache-2.0
// The inner part of parsePolicy: a table with its rules. Problems are kept in the reader.
#pragma once

#include "common/policy/field_reader.h"

namespace polyrail {

void readTable(FieldReader& in, const JsonNode& node, Table& table);

}  // namespace polyrail
