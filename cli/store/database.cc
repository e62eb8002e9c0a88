// SPDX-License-Identifier: Apache-2.0
#include "cli/store/database.h"

#include <fmt/format.h>

namespace polyrail::cli {
namespace {

constexpr int kPatienceMs = 5000;

std::string inWords(int code, const char* detail) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return "another process is writing it; try again when that is done";
    case SQLITE_READONLY: return "it cannot be written; check its permissions and those of its folder";
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_CANTOPEN: return "it cannot be opened; check that its folder exists and its permissions";
    case SQLITE_FULL: return "the disk is full; nothing was added";
    case SQLITE_NOTADB: return "it is not an SQLite database";
    case SQLITE_CORRUPT: return fmt::format("it is damaged ({}); take a copy of it, or learn from the files", detail);
    case SQLITE_IOERR: return fmt::format("reading or writing failed ({})", detail);
    default: return detail;
  }
}

}  // namespace

Result<Database> Database::open(const std::string& path, OpenMode mode) {
  const int flags = mode == OpenMode::kRead ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  Database database(path, handle);
  if (!handle) return Status::error(path + ": no memory to open it");
  if (code != SQLITE_OK) return database.failure();
  sqlite3_busy_timeout(handle, kPatienceMs);
  const Status set = database.run("PRAGMA foreign_keys = ON");
  if (!set.ok()) return set;
  return database;
}

Status Database::run(const char* sql) {
  return sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr) == SQLITE_OK ? Status() : failure();
}

Status Database::failure() const {
  return Status::error(fmt::format("{}: {}", path_, inWords(sqlite3_errcode(handle()), sqlite3_errmsg(handle()))));
}

Statement::Statement(Database& database, const char* sql) : database_(database) {
  sqlite3_stmt* handle = nullptr;
  if (sqlite3_prepare_v2(database.handle(), sql, -1, &handle, nullptr) != SQLITE_OK) status_ = database.failure();
  handle_.reset(handle);
}

// Parameters are bound from the first again once a statement has been stepped.
int Statement::next() {
  if (done_) sqlite3_reset(handle_.get());
  done_ = false;
  return ++parameter_;
}

Statement& Statement::bound(int code) {
  if (code != SQLITE_OK && status_.ok()) status_ = database_.failure();
  return *this;
}

Statement& Statement::bind(int64_t value) {
  return status_.ok() ? bound(sqlite3_bind_int64(handle_.get(), next(), value)) : *this;
}

Statement& Statement::bind(double value) {
  return status_.ok() ? bound(sqlite3_bind_double(handle_.get(), next(), value)) : *this;
}

Statement& Statement::bind(const std::string& text) {
  if (!status_.ok()) return *this;
  const int size = static_cast<int>(text.size());
  return bound(sqlite3_bind_text(handle_.get(), next(), text.data(), size, SQLITE_TRANSIENT));
}

Statement& Statement::bindNull() { return status_.ok() ? bound(sqlite3_bind_null(handle_.get(), next())) : *this; }

bool Statement::step() {
  if (!status_.ok()) return false;
  const int code = sqlite3_step(handle_.get());
  parameter_ = column_ = 0;
  done_ = true;
  if (code != SQLITE_ROW && code != SQLITE_DONE) status_ = database_.failure();
  if (code == SQLITE_DONE) sqlite3_reset(handle_.get());
  return code == SQLITE_ROW;
}

bool Statement::execute() {
  while (step()) {
  }
  return status_.ok();
}

std::string Statement::text() {
  const int column = column_++;
  const unsigned char* text = sqlite3_column_text(handle_.get(), column);
  const int size = sqlite3_column_bytes(handle_.get(), column);
  return text ? std::string(reinterpret_cast<const char*>(text), static_cast<size_t>(size)) : std::string();
}

std::optional<int64_t> Statement::maybeInteger() {
  if (sqlite3_column_type(handle_.get(), column_) != SQLITE_NULL) return integer();
  column_++;
  return std::nullopt;
}

std::optional<double> Statement::maybeReal() {
  if (sqlite3_column_type(handle_.get(), column_) != SQLITE_NULL) return real();
  column_++;
  return std::nullopt;
}

}  // namespace polyrail::cli
