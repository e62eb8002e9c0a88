# SPDX-License-Identifier: Apache-2.0
# Programs that run the data path on emulated verbs.
$(OUT)/unit-net-data: $(EMU_LIB)
$(OUT)/bars/bar-net-rates: $(OUT)/unit/net-data/rig.o $(EMU_LIB)
$(OUT)/unit-net-path: $(EMU_LIB)
