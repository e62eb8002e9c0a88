# SPDX-License-Identifier: Apache-2.0
# The net plugin on real verbs in a guest: `make test-vm`; see vm/README.md.
test-vm: emu sanitized-for-vm $(OUT)/net-lint $(OUT)/plugins/memory_cuda.so
	@vm/test-vm $(POLYRAIL_BUILD) $(dir $(POLYRAIL_BUILD))asan

# The same flags as `make ASAN=1 OPTFLAGS=-O1 test`, whose build this is.
SANITIZED := ASAN=1 OPTFLAGS=-O1
sanitized-for-vm:
	@$(MAKE) --no-print-directory -C .. $(SANITIZED) all
	@$(MAKE) --no-print-directory $(SANITIZED) $(subst release,asan,$(OUT))/net-lint

.PHONY: test-vm sanitized-for-vm
