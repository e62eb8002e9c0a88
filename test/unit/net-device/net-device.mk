# SPDX-License-Identifier: Apache-2.0
# Programs that open devices of the emulated verbs.
$(OUT)/unit-net-device $(OUT)/unit-net-memory: $(EMU_LIB)
