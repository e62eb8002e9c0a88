# SPDX-License-Identifier: Apache-2.0
# The handshake makes comms on emulated verbs, with the data path's rig.
$(OUT)/unit-net-connect: $(OUT)/unit/net-data/rig.o $(EMU_LIB)
$(OUT)/bars/bar-net-setup: $(OUT)/unit/net-data/rig.o $(EMU_LIB)
