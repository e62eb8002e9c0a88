// SPDX-License-Identifier: Apache-2.0
// The tables of a baseline store and their version (PRAGMA user_version). One thread at a time.
#pragma once

#include "cli/store/database.h"

namespace polyrail::cli {

inline constexpr int kStoreVersion = 1;
inline constexpr int kStoreId = 0x706F6C79;  // "poly": PRAGMA application_id

// Makes the tables in an empty database; checks that any other is a store of a version that this program knows.
Status prepareSchema(Database& database, OpenMode mode);

}  // namespace polyrail::cli
