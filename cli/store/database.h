// SPDX-License-Identifier: Apache-2.0
// The little of SQLite that the store needs: a connection, prepared statements, transactions, and its error codes in
// words. A Database is used by one thread at a time; statements end before their database does.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <optional>
#include <string>

#include "common/status.h"

namespace polyrail::cli {

enum class OpenMode { kRead, kCreate };

class Database {
 public:
  // Waits up to five seconds for another process that writes.
  static Result<Database> open(const std::string& path, OpenMode mode);

  Status run(const char* sql);
  // The last failure of this connection, with the file and what to do about it.
  Status failure() const;
  const std::string& path() const { return path_; }
  sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
  };
  Database(std::string path, sqlite3* handle) : path_(std::move(path)), handle_(handle) {}

  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

// Binds parameters in order, steps, reads columns in order. Errors are kept and told once, by status(): after one,
// nothing more is executed.
class Statement {
 public:
  Statement(Database& database, const char* sql);

  Statement& bind(int64_t value);
  Statement& bind(uint64_t value) { return bind(static_cast<int64_t>(value)); }
  Statement& bind(int value) { return bind(static_cast<int64_t>(value)); }
  Statement& bind(double value);
  Statement& bind(const std::string& text);
  template <typename T>
  Statement& bind(const std::optional<T>& value) {
    return value ? bind(*value) : bindNull();
  }

  // True when there is a row to read. The next bind() starts over.
  bool step();
  // For statements without rows; the row id of what was inserted is in lastRow().
  bool execute();
  int64_t lastRow() const { return sqlite3_last_insert_rowid(database_.handle()); }

  // Columns of the current row, left to right; NULL is nothing.
  int64_t integer() { return sqlite3_column_int64(handle_.get(), column_++); }
  double real() { return sqlite3_column_double(handle_.get(), column_++); }
  std::string text();
  std::optional<int64_t> maybeInteger();
  std::optional<double> maybeReal();

  const Status& status() const { return status_; }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  Statement& bindNull();
  Statement& bound(int code);
  int next();

  Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
  Status status_;
  int parameter_ = 0, column_ = 0;
  bool done_ = false;
};

// Rolls back unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database), status_(database.run("BEGIN IMMEDIATE")) {}
  ~Transaction() {
    if (status_.ok() && !committed_) static_cast<void>(database_.run("ROLLBACK"));
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  const Status& status() const { return status_; }
  Status commit() {
    Status done = database_.run("COMMIT");
    committed_ = done.ok();
    return done;
  }

 private:
  Database& database_;
  Status status_;
  bool committed_ = false;
};

}  // namespace polyrail::cli
