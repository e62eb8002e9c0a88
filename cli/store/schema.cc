// SPDX-License-Identifier: Apache-2.0
#include "cli/store/schema.h"

#include <fmt/format.h>

namespace polyrail::cli {
namespace {

// Numbers that a file spells "nan" are NULL. `times` has what the issue calls time x size x ranks x nodes x choice x
// placement x repeat, normalised; the view `measurements` shows it flat, for people with another SQLite client.
constexpr const char* kTables = R"sql(
CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL UNIQUE,
  added_at TEXT NOT NULL,
  label TEXT NOT NULL
) STRICT;
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  file_id INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
  line INTEGER NOT NULL,
  collective_text TEXT NOT NULL,
  collective TEXT,
  ranks INTEGER,
  nodes INTEGER,
  nccl_version TEXT NOT NULL,
  tests_version TEXT NOT NULL,
  gpu TEXT NOT NULL,
  forced_algorithm TEXT NOT NULL,
  forced_protocol TEXT NOT NULL,
  min_channels INTEGER,
  max_channels INTEGER,
  threads INTEGER,
  gpus_per_thread INTEGER,
  warmup_iterations INTEGER,
  iterations INTEGER,
  aggregated INTEGER,
  validation INTEGER,
  graph INTEGER,
  cpu_time INTEGER NOT NULL,
  start_time TEXT NOT NULL,
  tuner_plugin TEXT NOT NULL,
  net_plugin TEXT NOT NULL,
  network TEXT NOT NULL,
  coll_channels INTEGER,
  has_costs INTEGER NOT NULL,
  complete INTEGER NOT NULL
) STRICT;
CREATE INDEX runs_by_file ON runs (file_id);
CREATE TABLE rows (
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  count INTEGER NOT NULL,
  type TEXT NOT NULL,
  redop TEXT NOT NULL,
  root INTEGER NOT NULL,
  line INTEGER NOT NULL,
  PRIMARY KEY (run_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE TABLE times (
  run_id INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  in_place INTEGER NOT NULL CHECK (in_place IN (0, 1)),
  time_us REAL,
  alg_bw REAL,
  bus_bw REAL,
  wrong REAL,
  min_us REAL,
  max_us REAL,
  p99_us REAL,
  cv_percent REAL,
  PRIMARY KEY (run_id, ordinal, in_place),
  FOREIGN KEY (run_id, ordinal) REFERENCES rows ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE TABLE choices (
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  collective TEXT NOT NULL,
  total_bytes INTEGER NOT NULL,
  bytes_are_per_rank INTEGER NOT NULL,
  algorithm TEXT NOT NULL,
  protocol TEXT NOT NULL,
  channels INTEGER,
  model_time_us REAL,
  lines INTEGER NOT NULL,
  PRIMARY KEY (run_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE TABLE costs (
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  collective TEXT NOT NULL,
  algorithm TEXT NOT NULL,
  protocol TEXT NOT NULL,
  latency_us REAL NOT NULL,
  bandwidth_gbs REAL NOT NULL,
  PRIMARY KEY (run_id, collective, algorithm, protocol)
) STRICT, WITHOUT ROWID;
CREATE TABLE problems (
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (run_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE VIEW measurements AS
SELECT runs.collective, runs.ranks, runs.nodes, rows.size_bytes,
  CASE WHEN forced_algorithm || forced_protocol = '' AND min_channels IS NULL AND max_channels IS NULL THEN 'default'
       ELSE forced_algorithm || '/' || forced_protocol || coalesce(' x ' || max_channels, '') END AS choice,
  (SELECT algorithm || '/' || protocol FROM choices WHERE choices.run_id = runs.id
     AND choices.collective = runs.collective AND total_bytes = rows.size_bytes LIMIT 1) AS logged_choice,
  in_place, dense_rank() OVER (PARTITION BY runs.collective, runs.ranks, runs.nodes, forced_algorithm,
     forced_protocol, min_channels, max_channels, gpu, nccl_version, label ORDER BY runs.id) AS repeat,
  time_us, wrong, gpu, nccl_version, label, files.name AS file, rows.line
FROM times JOIN rows USING (run_id, ordinal) JOIN runs ON runs.id = run_id JOIN files ON files.id = file_id;
)sql";

int64_t pragma(Database& database, const char* sql) {
  Statement statement(database, sql);
  return statement.step() ? statement.integer() : -1;
}

Status makeTables(Database& database) {
  Transaction transaction(database);
  if (!transaction.status().ok()) return transaction.status();
  // Another process may have made them while this one waited.
  if (pragma(database, "PRAGMA user_version") == kStoreVersion) return transaction.commit();
  const std::string sql =
      fmt::format("{}PRAGMA application_id = {}; PRAGMA user_version = {};", kTables, kStoreId, kStoreVersion);
  const Status made = database.run(sql.c_str());
  return made.ok() ? transaction.commit() : made;
}

}  // namespace

Status prepareSchema(Database& database, OpenMode mode) {
  Statement count(database, "SELECT count(*) FROM sqlite_schema");
  const bool read = count.step();
  if (!read) return count.status();
  const bool empty = count.integer() == 0;
  count.execute();  // ends it: a statement that is still open would keep the file locked
  if (empty && mode == OpenMode::kCreate) return makeTables(database);
  if (pragma(database, "PRAGMA application_id") != kStoreId)
    return Status::error(database.path() + ": is an SQLite database, but not a baseline store of polyrail");
  const int64_t version = pragma(database, "PRAGMA user_version");
  if (version > kStoreVersion)
    return Status::error(
        fmt::format("{}: was made by a newer polyrail (version {} of the store, this program knows {})",
                    database.path(), version, kStoreVersion));
  return version == kStoreVersion ? Status() : Status::error(database.path() + ": has no version of a store");
}

}  // namespace polyrail::cli
