// SPDX-License-Identifier: Apache-2.0
// Prometheus' text exposition format, version 0.0.4: families of samples with HELP and TYPE, label values and help
// escaped as the format wants it. Knows nothing of rails. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/top/histogram.h"

namespace polyrail::cli {

using PrometheusLabels = std::vector<std::pair<std::string_view, std::string>>;

class PrometheusText {
 public:
  // Begins a family; its samples follow. `type`: counter, gauge or histogram.
  void family(std::string_view name, std::string_view type, std::string_view help);
  void sample(const PrometheusLabels& labels, uint64_t value);
  // Buckets in seconds, from 1 us to 17 s, each four times the one before; the sum is estimated.
  void histogram(const PrometheusLabels& labels, const LatencyHistogram& times);

  const std::string& text() const { return text_; }

 private:
  void line(std::string_view suffix, const PrometheusLabels& labels, std::string_view value);

  std::string name_, text_;
};

}  // namespace polyrail::cli
