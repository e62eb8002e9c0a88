// SPDX-License-Identifier: Apache-2.0
#include "test/unit/read/sample_json.h"

#include <fmt/format.h>

namespace polyrail::sample {
namespace {

std::string placement(const char* name, double us, double algBw, double busBw, const char* wrong) {
  return fmt::format(R"("{}":{{"time":{:.6f},"alg_bw":{:.6f},"bus_bw":{:.6f},"nwrong":{}}})", name, us, algBw, busBw,
                     wrong);
}

std::string perIteration(const char* name) {
  return fmt::format(
      R"("{}":{{"skipped_iterations":0,"min_us":20.000000,"max_us":30.500000,"avg_us":21.000000,"p50_us":21.000000,)"
      R"("p95_us":28.000000,"p99_us":30.000000,"stdev_us":1.250000,"cv_pct":5.952381,"times_us":[20.000000,30.500000],)"
      R"("per_process_max_times_us":[[20.000000,30.500000],[19.000000,22.000000]]}})",
      name);
}

}  // namespace

std::string testsJson(int rows) {
  std::string text = fmt::format(
      R"({{"version":3,"start_time":"2026-07-10 10:11:12","args":["\/opt\/build\/all_gather_perf_mpi","-b","1M"],)"
      R"("env":["PATH=\/usr\/bin","API_TOKEN={}","NCCL_ALGO=allgather:ring","NCCL_MAX_NCHANNELS=8"],)"
      R"("nccl_version":22902,"config":{{"nthreads":1,"ngpus":2,"minimum_bytes":1048576,"maximum_bytes":4194304,)"
      R"("step_factor":2,"warmup_iters":1,"iterations":20,"aggregated_iterations":1,"validation":1,"graph":0,)"
      R"("blocking_collectives":"false","per_iter_timing":"true","per_iter_skip":0,"parallel_init":"false",)"
      R"("devices":[{{"rank":0,"group":0,"pid":700,"hostname":"boxa","device":0,"device_hex":"0000:01:00",)"
      R"("device_info":"Sample GPU"}},{{"rank":2,"group":0,"pid":701,"hostname":"boxb","device":0,)"
      R"("device_hex":"0000:01:00","device_info":"Sample GPU"}}]}},"results":[)",
      kSecret);
  for (int i = 0; i < rows; i++) {
    const double us = 21.5 * (1 << i);
    text += fmt::format(R"({}{{"size":{},"count":{},"type":"float","redop":"none","root":"    -1",)",
                        i > 0 ? "," : "", 1048576 << i, 65536 << i);
    text +=
        placement("out_of_place", us, 48.770976, 36.578232, "0.000000") + "," + perIteration("out_of_place_per_iter");
    text += "," + placement("in_place", us - 1.25, 52.168756, 39.126567, i == 0 ? "null" : "12.000000") + "," +
            perIteration("in_place_per_iter") + R"(,"actual_iterations":20,"experiment_name":""})";
  }
  return text + R"(],"out_of_bounds":{"count":0,"okay":"true"},"average_bus_bandwidth":{"bandwidth":37.852400,)"
                R"("okay":"unchecked"},"errors":[""],"end_time":"2026-07-10 10:11:13"})";
}

std::string pullRequestJson(int rows) {
  std::string text = R"({"identifier": "nccl-tests structured output", "version": "2.26.2", "benchmark": [{)";
  for (int i = 0; i < rows; i++) {
    const double us = 40.25 * (1 << i), algBw = (1048576 << i) / us / 1e3;
    text += fmt::format(
        R"("{}": {{"count": {}, "type": "float", "redop": "sum", "root": "-1", "oop_time": {:.6f}, "oop_algbw": {:.6f}, )"
        R"("oop_busbw": {:.6f}, "oop_error": 0.000000, "ip_time": {:.6f}, "ip_algbw": {:.6f}, "ip_busbw": {:.6f}, )"
        R"("ip_error": 0.000000}}, )",
        1048576 << i, 262144 << i, us, algBw, algBw * 1.75, us, algBw, algBw * 1.75);
  }
  // The comma stays when the last size is not the maximum.
  return text + R"(}], "out_of_bounds_value": 0, "out_of_bounds_value_status": "OK", "avg_bus_bw": 45.000000, )"
                R"("avg_bus_bw_status": "OK"})";
}

}  // namespace polyrail::sample
