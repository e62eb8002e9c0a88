# SPDX-License-Identifier: Apache-2.0
# Programs that open devices of the emulated verbs.
$(OUT)/unit-net-device $(OUT)/unit-net-memory $(OUT)/bars/bar-net-peers: $(EMU_LIB)
