# SPDX-License-Identifier: Apache-2.0
# Failure repair on emulated verbs, with the rig of the data path's tests.
$(OUT)/unit-net-repair: $(addprefix $(OUT)/unit/net-data/,rig.o driver.o) $(EMU_LIB)
