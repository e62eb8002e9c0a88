# SPDX-License-Identifier: Apache-2.0
# Every bars/bar-*.cc is a program and every bars/bar-* without a suffix a script; each prints one line a bar,
#   BAR <name> <figure> <limit> holds|falls-short|skipped [reason]
# and bars/run-bars runs them all and makes the table. Those in bars/long/ run only with `make bars-long`.
BAR_CC := $(wildcard bars/bar-*.cc bars/long/bar-*.cc)
BAR_PROGRAMS := $(patsubst %.cc,$(OUT)/%,$(BAR_CC))

$(BAR_PROGRAMS): $(OUT)/%: $(OUT)/%.o $(LIBS)
	$(call say,LD,$@)
	$(Q)$(CXX) $(CXXFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter-out %.o,$^) $(TESTLIBS)

-include $(BAR_PROGRAMS:=.d)

# ONLY="emu reader" runs the bars whose names contain one of these words.
ALL_BARS := $(sort $(filter $(OUT)/bars/bar-%,$(BAR_PROGRAMS)) $(filter-out %.cc %.mk,$(wildcard bars/bar-*)))
CHOSEN_BARS := $(if $(ONLY),$(sort $(foreach word,$(ONLY),$(foreach bar,$(ALL_BARS),$(if $(findstring $(word),$(notdir $(bar))),$(bar))))),$(ALL_BARS))

bars: $(filter $(BAR_PROGRAMS),$(CHOSEN_BARS)) all
	@bars/run-bars $(CHOSEN_BARS)

bars-long: $(BAR_PROGRAMS) all
	@BAR_TIMEOUT=$${BAR_TIMEOUT:-7200} bars/run-bars $(sort $(BAR_PROGRAMS) $(filter-out %.cc %.mk,$(wildcard bars/bar-* bars/long/bar-*)))

# Only the programs, for those that work on one bar.
bar-programs: $(BAR_PROGRAMS)

.PHONY: bars bars-long bar-programs
