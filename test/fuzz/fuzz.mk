# SPDX-License-Identifier: Apache-2.0
# `make fuzz` gives every fuzz_*.cc FUZZ_SECONDS of libFuzzer with ASan and UBSan, starting from fuzz/corpus/NAME if
# that is there. FUZZ_SOURCES_NAME lists what the target needs, compiled once more with clang and coverage.
FUZZ_SECONDS ?= 10
FUZZCXX ?= clang++
FUZZOUT := $(BUILD)/fuzz
FUZZERS := $(patsubst fuzz/fuzz_%.cc,%,$(wildcard fuzz/fuzz_*.cc))

FUZZ_COMMON := $(wildcard ../common/*.cc ../common/*/*.cc)
FUZZ_SOURCES_policy := $(FUZZ_COMMON)
FUZZ_SOURCES_csv := $(FUZZ_COMMON) $(filter-out ../cli/csv/report.cc ../cli/csv/output_file.cc,$(wildcard ../cli/csv/*.cc)) ../cli/output/fmt.cc
FUZZ_SOURCES_read := $(FUZZ_COMMON) $(wildcard ../cli/read/*.cc) ../cli/output/fmt.cc
FUZZ_SOURCES_message := $(wildcard ../net/wire/*.cc) ../net/device/gid.cc

FUZZ_SOURCES_handshake := $(FUZZ_COMMON) $(wildcard ../net/wire/*.cc ../net/path/*.cc ../net/data/*.cc ../net/schedule/*.cc) \
	../net/device/gid.cc ../net/device/ledger.cc ../net/telemetry/names.cc $(addprefix ../net/connect/,channel.cc greeting.cc handshake.cc pairing.cc receive_handshake.cc send_handshake.cc)

FUZZFLAGS := -std=c++20 -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=undefined
fuzzobject = $(patsubst %.cc,$(FUZZOUT)/%.o,$(subst ../,,$(1)))

define FUZZER
$(FUZZOUT)/$(1): $(FUZZOUT)/test/fuzz/fuzz_$(1).o $(call fuzzobject,$(FUZZ_SOURCES_$(1)))
	$$(call say,LD,$$@)
	$$(Q)$(FUZZCXX) $(FUZZFLAGS) -fsanitize=fuzzer -o $$@ $$^
endef
$(foreach f,$(FUZZERS),$(eval $(call FUZZER,$(f))))

$(FUZZOUT)/test/%.o: %.cc
	$(call say,FUZZCXX,test/$<)
	@mkdir -p $(@D)
	$(Q)$(FUZZCXX) $(CPPFLAGS) $(FUZZFLAGS) -fsanitize=fuzzer-no-link -MMD -MP -c -o $@ $<

$(FUZZOUT)/%.o: ../%.cc
	$(call say,FUZZCXX,$*.cc)
	@mkdir -p $(@D)
	$(Q)$(FUZZCXX) $(CPPFLAGS) $(FUZZFLAGS) -fsanitize=fuzzer-no-link -MMD -MP -c -o $@ $<

-include $(shell find $(FUZZOUT) -name '*.d' 2>/dev/null)

fuzz: $(addprefix $(FUZZOUT)/,$(FUZZERS))
	@FUZZ_SECONDS=$(FUZZ_SECONDS) fuzz/run-fuzzers $^

.PHONY: fuzz

# Hours, for a machine that has them: chaos for SOAK_SECONDS, then the randomised tests with many more cases, then each
# fuzzer for ten minutes. `make soak-chaos SOAK_SECONDS=60` is the first of them alone.
SOAK_SECONDS ?= 3600
soak-chaos: $(OUT)/soak/soak-chaos
	@$< $(SOAK_SECONDS)

soak: all soak-chaos
	@RC_PARAMS='max_success=5000' TEST_TIMEOUT=7200 TESTS="$(PROGRAMS)" ./run-tests
	@$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=600

.PHONY: soak soak-chaos
