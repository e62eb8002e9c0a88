// SPDX-License-Identifier: Apache-2.0
#include "cli/read/line_marks.h"

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "cli/read/failures.h"

namespace polyrail::read {
namespace {

enum class Kind { kType, kHeader, kProgram, kVariable, kJson, kFailure };

struct Word {
  std::string text;
  Kind kind;
};

// Words by a hash of four of their bytes, behind a bitmap of those hashes: a load, a multiplication and a test for
// every other byte of a line. Each word is entered with its first and its second byte as the lead, so that one of
// them lies where the scan looks; it must be one byte longer than a lead.
class WordTable {
 public:
  static constexpr size_t kLead = 4, kStride = 2;

  struct Entry {
    Word word;
    size_t offset;  // of the lead in the word
  };

  WordTable() {
    for (const char* words : {"nccl-tests version", "Collective test", "nThread ", " Rank ", "Out of bounds values",
                              "Avg bus bandwidth", " size "})
      add(words, Kind::kHeader);
    add("_perf", Kind::kProgram);
    add("NCCL_", Kind::kVariable);
    add("{\"identifier\"", Kind::kJson);
    add("{\"version\":", Kind::kJson);
    for (std::string_view type : spacedTypeNames()) {
      if (type.size() > kLead) add(std::string(type), Kind::kType);
      for (const char* after : {" ", "["})
        if (type.size() <= kLead) add(std::string(type) + after, Kind::kType);
    }
    for (std::string_view sign : failureSigns()) add(std::string(sign), Kind::kFailure);
  }
  static uint32_t hash(const char* p) {
    uint32_t lead;
    std::memcpy(&lead, p, kLead);
    return lead * 2654435761u >> (32 - kBits);
  }
  bool mayBegin(uint32_t h) const { return (bitmap_[h >> 6] >> (h & 63) & 1) != 0; }
  const std::vector<Entry>& at(uint32_t h) const { return entries_[h]; }

 private:
  static constexpr int kBits = 12;

  void add(const std::string& text, Kind kind) {
    for (size_t offset = 0; offset < kStride; offset++) {
      const uint32_t h = hash(text.data() + offset);
      entries_[h].push_back({{text, kind}, offset});
      bitmap_[h >> 6] |= uint64_t{1} << (h & 63);
    }
  }

  std::array<uint64_t, (1 << kBits) / 64> bitmap_{};
  std::array<std::vector<Entry>, 1 << kBits> entries_;
};

const WordTable& table() {
  static const WordTable words;
  return words;
}

void note(LineMarks& marks, Kind kind) {
  switch (kind) {
    case Kind::kHeader: marks.header = true; return;
    case Kind::kProgram: marks.program = true; return;
    case Kind::kVariable: marks.variable = true; return;
    case Kind::kJson: marks.json = true; return;
    case Kind::kFailure: marks.failure = true; return;
    case Kind::kType: return;
  }
}

}  // namespace

LineMarks scanLine(std::string_view line) {
  LineMarks marks;
  marks.row = preambleAtStart(line);
  if (marks.row || line.empty()) return marks;
  const WordTable& words = table();
  const size_t last = line.size() < WordTable::kLead ? 0 : line.size() - WordTable::kLead + 1;
  for (size_t i = 0; i < last; i += WordTable::kStride) {
    const uint32_t h = WordTable::hash(line.data() + i);
    if (!words.mayBegin(h)) [[likely]]
      continue;
    for (const WordTable::Entry& entry : words.at(h)) {
      if (entry.offset > i || line.compare(i - entry.offset, entry.word.text.size(), entry.word.text) != 0) continue;
      const char* const begin = line.data() + i - entry.offset;
      if (entry.word.kind == Kind::kType && (marks.row = preambleAround(line, begin + 1))) return marks;
      note(marks, entry.word.kind);
    }
  }
  return marks;
}

}  // namespace polyrail::read
