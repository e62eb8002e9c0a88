# SPDX-License-Identifier: Apache-2.0
# The net plugin on real verbs in a guest: `make test-vm`; see vm/README.md.
test-vm: emu $(OUT)/net-lint $(OUT)/plugins/memory_cuda.so
	@vm/test-vm $(POLYRAIL_BUILD)

.PHONY: test-vm
