# SPDX-License-Identifier: Apache-2.0
# Failure repair on emulated verbs, with the rig of the data path's tests.
$(OUT)/unit-net-repair: $(addprefix $(OUT)/unit/net-data/,rig.o driver.o) $(EMU_LIB)
$(OUT)/bars/bar-net-failover: $(addprefix $(OUT)/unit/,net-repair/chaos.o net-repair/chaos_faults.o net-repair/control.o net-data/rig.o) $(EMU_LIB)
