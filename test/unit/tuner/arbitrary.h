// SPDX-License-Identifier: Apache-2.0
// Random policies, shapes and calls for properties, kept small and crowded so that overlaps, gaps and equal
// boundaries come up all the time.
#pragma once

#include <rapidcheck.h>

#include "tuner/decide.h"
#include "tuner/snapshot.h"

namespace polyrail::test {

// std::optional where rapidcheck has a Maybe of its own.
template <typename T>
rc::Gen<std::optional<T>> optional(rc::Gen<T> gen) {
  return rc::gen::map(rc::gen::maybe(std::move(gen)),
                      [](rc::Maybe<T> m) { return m ? std::optional<T>(std::move(*m)) : std::nullopt; });
}

// A boundary: near a few popular places, or anywhere.
inline rc::Gen<uint64_t> boundary() {
  return rc::gen::oneOf(
      rc::gen::inRange<uint64_t>(0, 40),
      rc::gen::map(rc::gen::inRange<int>(0, 64), [](int e) { return uint64_t{1} << e; }),
      rc::gen::map(rc::gen::inRange<uint64_t>(0, 20), [](uint64_t d) { return (uint64_t{1} << 30) + d; }),
      rc::gen::arbitrary<uint64_t>());
}

inline rc::Gen<Choice> choice() {
  return rc::gen::build<Choice>(
      rc::gen::set(&Choice::algorithm, rc::gen::map(rc::gen::inRange(0, nccl::kNumAlgorithms),
                                                    [](int a) { return static_cast<nccl::Algorithm>(a); })),
      rc::gen::set(&Choice::protocol, rc::gen::map(rc::gen::inRange(0, nccl::kNumProtocols),
                                                   [](int p) { return static_cast<nccl::Protocol>(p); })),
      rc::gen::set(&Choice::channels, optional(rc::gen::inRange(1, 65))),
      rc::gen::set(&Choice::chunkBytes, optional(rc::gen::inRange<uint64_t>(1, 1 << 21))),
      rc::gen::set(&Choice::time, optional(rc::gen::build<TimeModel>(
                                      rc::gen::set(&TimeModel::baseUs, rc::gen::element(0.001, 3.5, 80.0, 1e9)),
                                      rc::gen::set(&TimeModel::usPerMib, rc::gen::element(0.0, 0.7, 1e9))))));
}

inline rc::Gen<Range> smallRange() {
  return rc::gen::map(rc::gen::pair(rc::gen::inRange<uint64_t>(0, 6), rc::gen::inRange<uint64_t>(0, 6)),
                      [](std::pair<uint64_t, uint64_t> p) {
                        return Range{std::min(p.first, p.second), std::max(p.first, p.second)};
                      });
}

inline rc::Gen<Rule> rule() {
  return rc::gen::map(
      rc::gen::tuple(boundary(), boundary(), rc::gen::inRange(0, 4), optional(smallRange()),
                     optional(rc::gen::arbitrary<bool>()),
                     rc::gen::mapcat(rc::gen::inRange<size_t>(1, 4),
                                     [](size_t n) { return rc::gen::container<std::vector<Choice>>(n, choice()); })),
      [](std::tuple<uint64_t, uint64_t, int, std::optional<Range>, std::optional<bool>, std::vector<Choice>> t) {
        auto [a, b, plain, pipeOps, regBuff, choices] = std::move(t);
        Rule r;
        r.from = std::min(a, b);
        r.to = std::max(a, b);
        if (plain == 0) r.pipeOps = pipeOps, r.regBuff = regBuff;
        r.choices = std::move(choices);
        return r;
      });
}

inline rc::Gen<Table> table() {
  return rc::gen::build<Table>(
      rc::gen::set(&Table::collective, rc::gen::map(rc::gen::inRange(0, nccl::kNumCollectives),
                                                    [](int c) { return static_cast<nccl::Collective>(c); })),
      rc::gen::set(&Table::maxChannels, optional(rc::gen::inRange(1, 65))),
      rc::gen::set(&Table::rules, rc::gen::container<std::vector<Rule>>(rule())));
}

inline rc::Gen<Policy> policy() {
  const auto tables = rc::gen::resize(12, rc::gen::container<std::vector<Table>>(table()));
  return rc::gen::map(rc::gen::tuple(tables, rc::gen::arbitrary<bool>(), rc::gen::arbitrary<bool>()),
                      [](std::tuple<std::vector<Table>, bool, bool> t) {
                        Policy p;
                        p.tables = std::get<0>(t);
                        p.options = {std::get<1>(t), std::get<2>(t)};
                        return p;
                      });
}

inline rc::Gen<Shape> shape() {
  return rc::gen::build<Shape>(rc::gen::set(&Shape::ranks, rc::gen::element<uint64_t>(2, 8, 16, 24, 1024)),
                               rc::gen::set(&Shape::nodes, rc::gen::element<uint64_t>(1, 2, 5)),
                               rc::gen::set(&Shape::abi, rc::gen::inRange(2, 7)));
}

// Sizes around the boundaries of `policy` as well as any.
inline rc::Gen<Request> request(const Policy& policy, const Shape& shape) {
  std::vector<uint64_t> sizes = {0, 1, UINT64_MAX - 1};
  for (const Table& t : policy.tables)
    for (const Rule& r : t.rules)
      for (uint64_t edge : {r.from, r.to}) {
        const uint64_t total = nccl::keyedPerRank(t.collective) ? edge * shape.ranks : edge;
        sizes.insert(sizes.end(), {total - 1, total, total + 1});
      }
  std::erase(sizes, UINT64_MAX);
  return rc::gen::build<Request>(
      rc::gen::set(&Request::collective, rc::gen::inRange(0, nccl::kNumCollectives)),
      rc::gen::set(&Request::bytes, rc::gen::oneOf(rc::gen::elementOf(sizes), boundary())),
      rc::gen::set(&Request::pipeOps, rc::gen::inRange(-1, 8)),
      rc::gen::set(&Request::registered, rc::gen::element(Registered::kUnknown, Registered::kNo, Registered::kYes)));
}

}  // namespace polyrail::test
