// SPDX-License-Identifier: Apache-2.0
// How much of their rails comms reach, in virtual time. Traffic: one sender and one receiver host, rails of 50 Gb/s
// (times the factor of the case) with 2 us one way that all announce 50 Gb/s; 8 messages in flight on each comm, as
// NCCL_STEPS gives, of 512 KiB, 1 MiB or 4 MiB; one comm unless the case says more. A rate is the payload received
// between the first message that ends after `from` and the last before `until`, over the time between the two.
#include <cstdio>
#include <cstring>
#include <numeric>

#include "test/unit/net-data/rig.h"

namespace polyrail::net {
namespace {

constexpr double kGbps = 50;
constexpr int64_t kMs = 1'000'000;

struct Run {
  std::vector<double> sender{1}, receiver{1};  // factors
  size_t size = 512 << 10;
  unsigned comms = 1;
  bool equalSplit = false, check = false;
  const char* faults = "[]";
  int64_t from = 2 * kMs, until = 40 * kMs;
};

struct Rates {
  double total = 0;            // bytes a ns
  double least = 0, most = 0;  // of the comms
};

struct Mark {  // a moment when a message was received
  int64_t time = 0;
  uint64_t bytes = 0;
};

std::vector<double> scaled(const std::vector<double>& factors) {
  std::vector<double> gbps;
  for (const double f : factors) gbps.push_back(f * kGbps);
  return gbps;
}

Rates measure(const Run& run) {
  RigOptions options;
  options.senderGbps = scaled(run.sender);
  options.receiverGbps = scaled(run.receiver);
  options.latencyNs = 2'000;
  options.faults = faultList(run.faults);
  Rig rig(options);
  std::vector<std::unique_ptr<CommPair>> pairs;
  std::vector<std::unique_ptr<Traffic>> streams;
  for (unsigned c = 0; c < run.comms; c++) {
    CommOptions a = rig.options(true), b = rig.options(false);
    a.equalSplit = run.equalSplit;
    pairs.push_back(std::make_unique<CommPair>(rig, a, b, c));
    streams.push_back(std::make_unique<Traffic>(rig, *pairs.back(), run.size, 8, run.check));
  }
  std::vector<Mark> first(run.comms), last(run.comms);
  const auto round = [&] {
    bool any = false;
    for (size_t i = 0; i < streams.size(); i++) {
      const uint64_t before = streams[i]->bytes();
      any |= streams[i]->turn();
      if (rig.sim().now() < run.from || streams[i]->bytes() == before) continue;
      last[i] = {rig.sim().now(), streams[i]->bytes()};
      if (first[i].time == 0) first[i] = last[i];
    }
    return any;
  };
  rig.sim().until([&] { return rig.sim().now() >= run.until; }, round, run.until);
  Rates rates{0, 1e9, 0};
  for (size_t i = 0; i < streams.size(); i++) {
    const double rate =
        static_cast<double>(last[i].bytes - first[i].bytes) / static_cast<double>(last[i].time - first[i].time);
    rates.total += rate;
    rates.least = std::min(rates.least, rate);
    rates.most = std::max(rates.most, rate);
    if (!streams[i]->ok()) std::printf("  %s\n", streams[i]->error().c_str()), rates.total = 0;
  }
  return rates;
}

double sumOf(const std::vector<double>& factors) {
  return std::accumulate(factors.begin(), factors.end(), 0.0) * kGbps / 8;
}

void bar(const std::string& name, double figure, double limit) {
  std::printf("BAR net-%s %.3f %.3f %s\n", name.c_str(), figure, limit, figure >= limit ? "holds" : "falls-short");
  std::fflush(stdout);
}

void both(const char* name, const std::vector<double>& factors, double limit) {
  for (const size_t size : {512u << 10, 4u << 20}) {
    const double rate = measure({.sender = factors, .receiver = factors, .size = size}).total;
    bar(std::string(name) + (size > 1 << 20 ? "-4M" : "-512K"), rate / sumOf(factors), limit);
  }
}

void rails() {
  both("equal-of-sum", {1, 1, 1, 1}, 0.97);
  for (const size_t size : {512u << 10, 4u << 20}) {
    Run run{.sender = {1, 1, 1, 1}, .receiver = {1, 1, 1, 1}, .size = size};
    const double ours = measure(run).total;
    run.equalSplit = true;
    bar(std::string("equal-of-fixed-split") + (size > 1 << 20 ? "-4M" : "-512K"), ours / measure(run).total, 0.99);
  }
  both("one-and-half", {1, .5}, 0.95);
  both("one-quarter-of-four", {1, 1, 1, .25}, 0.95);
  both("eight-1-to-quarter", {1, .893, .786, .679, .571, .464, .357, .25}, 0.95);
}

void changes() {
  const std::vector<double> four = {1, 1, 1, 1};
  Run run{.sender = four, .receiver = four, .size = 1 << 20};
  run.faults = R"([{"at": "20ms", "do": "slow", "target": "a/emu1", "amount": 25}])";
  run.from = 70 * kMs;
  run.until = 110 * kMs;
  bar("rate-falls-settled-in-50ms", measure(run).total / sumOf({1, 1, 1, .25}), 0.95);
  run.faults = R"([{"at": "0ms", "do": "slow", "target": "b/emu2", "amount": 10, "for": "20ms"}])";
  bar("rate-rises-settled-in-50ms", measure(run).total / sumOf(four), 0.95);
}

void shared() {
  const std::vector<double> four = {1, 1, 1, .5};
  const Rates rates = measure({.sender = four, .receiver = four, .size = 512 << 10, .comms = 4});
  bar("four-comms-of-sum", rates.total / sumOf(four), 0.95);
  bar("four-comms-fairness", rates.least / rates.most, 0.80);
}

void shapes() {
  double worst = 1e9;
  std::string where;
  for (size_t n = 1; n <= 8; n++)
    for (size_t m = 1; m <= 8; m++) {
      const std::vector<double> a(n, 1), b(m, 1);
      const Rates r =
          measure({.sender = a, .receiver = b, .size = 1 << 20, .check = true, .from = 1 * kMs, .until = 4 * kMs});
      const double share = r.total / std::min(sumOf(a), sumOf(b));
      if (share < worst) worst = share, where = std::to_string(n) + "x" + std::to_string(m);
      if (getenv("VERBOSE")) std::printf("  %zu x %zu: %.3f\n", n, m, share);
    }
  bar("worst-of-n-x-m-bytes-checked", worst, 0.95);
}

}  // namespace
}  // namespace polyrail::net

int main(int argc, char** argv) {
  const auto wants = [&](const char* what) { return argc < 2 || std::strcmp(argv[1], what) == 0; };
  if (wants("rails")) polyrail::net::rails();
  if (wants("changes")) polyrail::net::changes();
  if (wants("shared")) polyrail::net::shared();
  if (wants("shapes")) polyrail::net::shapes();
}
