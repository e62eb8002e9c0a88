# SPDX-License-Identifier: Apache-2.0
# Every bench/bench-*.cc is a Google Benchmark program. BENCH=regex runs those whose names match.
BENCH_PROGRAMS := $(patsubst %.cc,$(OUT)/%,$(wildcard bench/bench-*.cc))
BENCH ?= .

$(BENCH_PROGRAMS): $(OUT)/%: $(OUT)/%.o $(LIBS)
	$(call say,LD,$@)
	$(Q)$(CXX) $(CXXFLAGS) $(LDFLAGS) -o $@ $^ -lbenchmark $(TESTLIBS)
-include $(BENCH_PROGRAMS:=.d)

bench: $(BENCH_PROGRAMS)
	@for b in $^; do $$b --benchmark_filter='$(BENCH)' || exit 1; done
.PHONY: bench
