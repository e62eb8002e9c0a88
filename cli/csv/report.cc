// SPDX-License-Identifier: Apache-2.0
#include "cli/csv/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/csv/output_file.h"
#include "cli/verb.h"

namespace polyrail {
namespace {

void printJson(const Translation& done) {
  nlohmann::ordered_json out = {{"source", done.source}, {"target", done.target}, {"rows", done.rows}};
  out["remarks"] = nlohmann::ordered_json::array();
  for (const Remark& r : done.remarks)
    out["remarks"].push_back({{"line", r.line}, {"text", r.text}, {"lost", r.lost}});
  fmt::print("{}\n", out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

void printText(const Translation& done) {
  for (const Remark& r : done.remarks)
    fmt::print(stderr, "{}{}: {}{}\n", done.source, r.line ? fmt::format(":{}", r.line) : "",
               r.lost ? "" : "note: ", r.text);
}

}  // namespace

int finish(const Translation& done) {
  if (Status bad = writeOutput(done.target, done.text); !bad.ok())
    return cli::fail(done.verb.c_str(), bad.message(), cli::kExitFailure);
  done.json ? printJson(done) : printText(done);
  const bool lost = std::any_of(done.remarks.begin(), done.remarks.end(), [](const Remark& r) { return r.lost; });
  return lost ? cli::kExitFinding : cli::kExitOk;
}

}  // namespace polyrail
