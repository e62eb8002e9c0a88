// SPDX-License-Identifier: Apache-2.0
#include "cli/csv/import.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/csv/table_builder.h"
#include "common/policy/policy_file.h"

namespace polyrail {
namespace {

constexpr size_t kMostRows = 100'000;

// Lines end with LF or CRLF; the CR is a blank to parseCsvRow.
template <typename Each>
void forEachLine(std::string_view text, Each each) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  for (size_t line = 1; !text.empty(); line++) {
    const size_t end = std::min(text.find('\n'), text.size());
    each(text.substr(0, end), line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// Sizes per rank need the ranks, unless the row is for all sizes.
bool needsRanks(const CsvRow& row) {
  return nccl::keyedPerRank(row.collective) && !row.ranks && (row.min != 0 || row.max != kNoLimit);
}

class Importer {
 public:
  Importer(CsvImport& out, bool uniform) : out_(out), uniform_(uniform) {}

  void read(std::string_view text) {
    forEachLine(text, [&](std::string_view line, size_t number) {
      if (out_.rows > kMostRows) return;
      std::optional<CsvRow> row = parseCsvRow(line, number, out_.remarks);
      if (row && ++out_.rows <= kMostRows && usable(*row)) {
        if (row->regBuff) out_.policy.options.uniformApplication = true;
        if (byCollective(row->collective).empty()) order_.push_back(row->collective);
        byCollective(row->collective).push_back(*row);
      }
    });
  }

  bool build() {
    for (nccl::Collective collective : order_)
      for (const CsvShape& shape : shapesOf(byCollective(collective)))
        if (!addTable(collective, shape)) return false;
    return true;
  }

 private:
  std::vector<CsvRow>& byCollective(nccl::Collective c) { return rows_[static_cast<size_t>(c)]; }

  bool usable(const CsvRow& row) {
    if (!row.regBuff || uniform_) return true;
    out_.remarks.push_back(
        {row.line,
         "looks at regBuff, which NCCL tells each rank only of itself: ranks that differ hang; left "
         "out (--uniform-application keeps it)"});
    return false;
  }

  bool addTable(nccl::Collective collective, const CsvShape& shape) {
    std::vector<const CsvRow*> holding;
    for (const CsvRow& row : byCollective(collective)) {
      if (!holdsFor(row, shape)) continue;
      if (shape.ranks || !needsRanks(row))
        holding.push_back(&row);
      else
        out_.remarks.push_back(
            {row.line, fmt::format("{}'s sizes are per rank in a policy, and this row holds for any "
                                   "number of ranks; left out where no other row names it",
                                   name(collective))});
    }
    Table table;
    table.collective = collective;
    table.layout = layoutOf(shape);
    if (!budget_.take(byCollective(collective).size())) return false;
    if (!buildTable(holding, shape, budget_, table, out_.remarks)) return false;
    if (!table.rules.empty()) out_.policy.tables.push_back(std::move(table));
    return true;
  }

  CsvImport& out_;
  bool uniform_;
  CsvBudget budget_;
  std::vector<nccl::Collective> order_;
  std::array<std::vector<CsvRow>, nccl::kNumCollectives> rows_;
};

void tidy(Remarks& remarks) {
  const auto key = [](const Remark& r) { return std::tie(r.line, r.text); };
  std::sort(remarks.begin(), remarks.end(), [&](const Remark& a, const Remark& b) { return key(a) < key(b); });
  const auto same = [&](const Remark& a, const Remark& b) { return key(a) == key(b); };
  remarks.erase(std::unique(remarks.begin(), remarks.end(), same), remarks.end());
}

}  // namespace

Result<CsvImport> importCsv(std::string_view text, std::string_view place, bool uniformApplication) {
  const auto error = [&](const char* why) { return Status::error(fmt::format("{}: {}", place, why)); };
  if (text.size() > kMaxPolicyBytes) return error("has more than 16 MiB");
  if (text.find('\0') != text.npos) return error("has a zero byte; it is no text");
  CsvImport out;
  Importer importer(out, uniformApplication);
  importer.read(text);
  if (out.rows > kMostRows) return error("has more than 100000 rows");
  if (!importer.build()) return error("has too many rows that overlap");
  tidy(out.remarks);
  if (Status bad = validatePolicy(out.policy); !bad.ok()) return error(bad.message().c_str());
  return out;
}

}  // namespace polyrail
