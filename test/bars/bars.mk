# SPDX-License-Identifier: Apache-2.0
# Every bars/bar-*.cc is a program and every bars/bar-* without a suffix a script; each prints one line a bar,
#   BAR <name> <figure> <limit> holds|falls-short|skipped|shown [reason]
# and bars/run-bars runs them all and makes the table. Those in bars/long/ run only with `make bars-long`.
BAR_CC := $(wildcard bars/bar-*.cc bars/long/bar-*.cc)
BAR_PROGRAMS := $(patsubst %.cc,$(OUT)/%,$(BAR_CC))

$(BAR_PROGRAMS): $(OUT)/%: $(OUT)/%.o $(LIBS)
	$(call say,LD,$@)
	$(Q)$(CXX) $(CXXFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter-out %.o,$^) $(TESTLIBS)

-include $(BAR_PROGRAMS:=.d)

# ONLY="emu reader" runs the bars whose names contain one of these words.
chosen = $(if $(ONLY),$(sort $(foreach word,$(ONLY),$(foreach bar,$(1),$(if $(findstring $(word),$(notdir $(bar))),$(bar))))),$(1))
scripts = $(filter-out %.cc %.mk,$(wildcard $(1)))
SHORT_BARS := $(call chosen,$(sort $(filter $(OUT)/bars/bar-%,$(BAR_PROGRAMS)) $(call scripts,bars/bar-*)))
LONG_BARS := $(call chosen,$(sort $(BAR_PROGRAMS) $(call scripts,bars/bar-* bars/long/bar-*)))

bars: $(filter $(BAR_PROGRAMS),$(SHORT_BARS)) all
	@bars/run-bars $(SHORT_BARS)

bars-long: $(filter $(BAR_PROGRAMS),$(LONG_BARS)) all
	@BAR_TIMEOUT=$${BAR_TIMEOUT:-7200} SIDE_BY_SIDE=1 bars/run-bars $(LONG_BARS)

# The plugin without telemetry and failover, and a program on such a data path, for bar-net-cost alone.
BARE := $(abspath $(BUILD))/bare
STREAM_RATE := $(OUT)/bars/stream_rate
$(STREAM_RATE): $(addprefix $(OUT)/,bars/stream_rate.o unit/net-repair/control.o unit/net-data/rig.o) $(EMU_LIB) $(addprefix $(BUILD)/lib/,libnet.a libcommon.a)
	$(call say,LD,$@)
	$(Q)$(CXX) $(CXXFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter-out %.o,$^) -lpthread -ldl
-include $(STREAM_RATE).d
bare:
	@$(MAKE) --no-print-directory -C ../common BUILD=$(BARE) CPPFLAGS=-DPOLYRAIL_BARE lib
	@$(MAKE) --no-print-directory -C ../net BUILD=$(BARE) CPPFLAGS=-DPOLYRAIL_BARE plugin
	@$(MAKE) --no-print-directory BUILD=$(BARE) CPPFLAGS=-DPOLYRAIL_BARE $(BARE)/test/bars/stream_rate
$(OUT)/bars/bar-net-cost: | $(STREAM_RATE) bare

# Only the programs, for those that work on one bar.
bar-programs: $(BAR_PROGRAMS)

.PHONY: bars bars-long bar-programs bare
