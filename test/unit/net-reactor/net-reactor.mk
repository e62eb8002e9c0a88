# SPDX-License-Identifier: Apache-2.0
# Events come from emulated verbs in virtual time.
$(OUT)/unit-net-reactor: $(OUT)/unit/net-data/rig.o $(EMU_LIB)
