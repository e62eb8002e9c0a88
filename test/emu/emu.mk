# SPDX-License-Identifier: Apache-2.0
# The emulated verbs and the tests that link or load them.
EMU_LIB := $(BUILD)/lib/libemu.a
EMU_SHARED := $(BUILD)/emu/libibverbs.so.1

emu:
	@$(MAKE) --no-print-directory -C emu all
$(EMU_LIB) $(EMU_SHARED): | emu ;

$(OUT)/unit-emu: $(EMU_LIB)
$(OUT)/unit-emu-programs $(OUT)/unit-net-verbs $(OUT)/contract-net-plugin $(OUT)/contract-net-copies $(OUT)/contract-net-faults $(OUT)/contract-perf $(OUT)/contract-top $(OUT)/contract-net-telemetry $(OUT)/contract-net-reports: | $(EMU_SHARED)

.PHONY: emu

# A bar that uses the unit tests' two connected queue pairs.
$(OUT)/bars/bar-emu-virtual: $(OUT)/unit/emu/pair.o $(EMU_LIB)
$(OUT)/bars/bar-net-crowd: | $(EMU_SHARED)
