// SPDX-License-Identifier: Apache-2.0
#include "cli/read/rows_tsv.h"

#include <charconv>

namespace polyrail {
namespace {

constexpr char kHead[] =
    "file\tline\tcoll_header\tnccl\tsize\tcount\ttype\tredop\troot\tt_oop\talg_oop\tbus_oop\twrong_oop\tt_ip\talg_"
    "ip\t"
    "bus_ip\twrong_ip\n";
constexpr size_t kFlushAt = 1 << 16;

}  // namespace

void RowsTsv::writeHead() { buffer_ += kHead; }

void RowsTsv::field(std::string_view text) {
  buffer_ += text;
  buffer_ += '\t';
}

void RowsTsv::onRow(const Run&, const Row& row, const RowText& text) {
  char digits[24];
  const auto line = std::to_chars(digits, digits + sizeof(digits), row.line);
  field(file_);
  field({digits, static_cast<size_t>(line.ptr - digits)});
  for (std::string_view part :
       {text.testName, text.ncclVersion, text.size, text.count, text.type, text.redop, text.root})
    field(part);
  for (int half = 0; half < 2; half++)
    for (std::string_view part : {text.time[half], text.algBw[half], text.busBw[half], text.wrong[half]}) field(part);
  buffer_.back() = '\n';
  gluedRows_ += text.gluedWrong;
  if (buffer_.size() >= kFlushAt) flush();
}

bool RowsTsv::flush() {
  failed_ |= std::fwrite(buffer_.data(), 1, buffer_.size(), out_) != buffer_.size();
  buffer_.clear();
  failed_ |= std::fflush(out_) != 0;
  return !failed_;
}

}  // namespace polyrail
