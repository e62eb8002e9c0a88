# SPDX-License-Identifier: Apache-2.0
# Gates of the built plugins. Each folder below gates/ is one plugin, libnccl-FOLDER-polyrail.so, with the symbols it
# exports (exports.txt), a C program that loads and uses it (load.c), and perhaps a policy for that (policy.json).
CC ?= cc
GATED := $(patsubst gates/%/load.c,%,$(wildcard gates/*/load.c))
GATE_LOADERS := $(GATED:%=$(OUT)/gates/%-load)

$(GATE_LOADERS): $(OUT)/gates/%-load: gates/%/load.c gates/loading.h $(FLAGSTAMP)
	$(call say,CC,test/$<)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wno-cast-function-type $(OPTFLAGS) $(SANFLAGS) -o $@ $< -ldl

# Without malloc's per-thread cache the heap in use is counted to the byte.
# What can be seen from outside is judged on the plugin that ships, not on a sanitizer's.
gate-%: $(OUT)/gates/%-load
	@[ -n "$(SANFLAGS)" ] || gates/check-plugin $(BUILD)/libnccl-$*-polyrail.so $(CURDIR)/gates/$*/exports.txt
	@GLIBC_TUNABLES=glibc.malloc.tcache_count=0 NCCL_IBVERBS_LIB=$(abspath $(EMU_SHARED)) NCCL_SOCKET_IFNAME=lo POLYRAIL_POLICY=$(CURDIR)/gates/$*/policy.json $< $(abspath $(BUILD))/libnccl-$*-polyrail.so > $<.log 2>&1 \
	  && printf '  GATE     %-28s %s: %s\n' libnccl-$*-polyrail.so "loads and unloads from C" "$$(tail -n 1 $<.log)" \
	  || { cat $<.log; echo "  GATE     libnccl-$*-polyrail.so loads and unloads from C: FAILS"; exit 1; }

gate-net: | $(EMU_SHARED)
gates: $(GATED:%=gate-%)
.PHONY: gates
