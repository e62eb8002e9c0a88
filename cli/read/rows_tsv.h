// SPDX-License-Identifier: Apache-2.0
// Rows as tab-separated lines, one a row, fields as the file spells them (RowText). A sink that writes as it goes and
// keeps nothing. One per output; one thread.
#pragma once

#include <cstdio>
#include <string>

#include "cli/read/run_sink.h"

namespace polyrail {

class RowsTsv : public RunSink {
 public:
  explicit RowsTsv(std::FILE* out) : out_(out) {}
  ~RowsTsv() override { flush(); }
  RowsTsv(const RowsTsv&) = delete;
  RowsTsv& operator=(const RowsTsv&) = delete;

  void writeHead();
  // The name that stands in the first column from here on.
  void setFile(std::string name) { file_ = std::move(name); }
  void onRow(const Run& run, const Row& row, const RowText& text) override;
  // False when something could not be written.
  bool flush();

  // Rows in which a `wrong` column has digits of something else at its end.
  uint64_t gluedRows() const { return gluedRows_; }

 private:
  std::FILE* out_;
  std::string file_, buffer_;
  uint64_t gluedRows_ = 0;
  bool failed_ = false;
};

}  // namespace polyrail
