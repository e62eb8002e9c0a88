// SPDX-License-Identifier: Apache-2.0
#include "cli/read/rows_tsv.h"

#include <charconv>
#include <cstring>

namespace polyrail {
namespace {

constexpr char kHead[] =
    "file\tline\tcoll_header\tnccl\tsize\tcount\ttype\tredop\troot\tt_oop\talg_oop\tbus_oop\twrong_oop\tt_ip\talg_"
    "ip\t"
    "bus_ip\twrong_ip\n";
constexpr size_t kFlushAt = 1 << 16;

// Fields are a few bytes long: two overlapping copies of fixed size are faster than one call of memcpy.
char* put(char* to, std::string_view text) {
  const size_t n = text.size();
  if (n >= 8 && n <= 16) {
    std::memcpy(to, text.data(), 8);
    std::memcpy(to + n - 8, text.data() + n - 8, 8);
  } else if (n >= 4 && n < 8) {
    std::memcpy(to, text.data(), 4);
    std::memcpy(to + n - 4, text.data() + n - 4, 4);
  } else if (n > 0) {
    std::memcpy(to, text.data(), n);
  }
  to[n] = '\t';
  return to + n + 1;
}

}  // namespace

void RowsTsv::writeHead() { buffer_ += kHead; }

void RowsTsv::onRow(const Run&, const Row& row, const RowText& text) {
  char digits[24];
  const auto line = std::to_chars(digits, digits + sizeof(digits), row.line);
  const std::string_view fields[] = {file_,         {digits, static_cast<size_t>(line.ptr - digits)},
                                     text.testName, text.ncclVersion,
                                     text.size,     text.count,
                                     text.type,     text.redop,
                                     text.root,     text.time[0],
                                     text.algBw[0], text.busBw[0],
                                     text.wrong[0], text.time[1],
                                     text.algBw[1], text.busBw[1],
                                     text.wrong[1]};
  size_t total = std::size(fields);
  for (std::string_view field : fields) total += field.size();
  const size_t used = buffer_.size();
  buffer_.resize(used + total);
  char* to = buffer_.data() + used;
  for (std::string_view field : fields) to = put(to, field);
  to[-1] = '\n';
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
