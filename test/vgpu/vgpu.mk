# SPDX-License-Identifier: Apache-2.0
# Real NCCL on the virtual CUDA: `make test-nccl`; see vgpu/README.md. `make vgpu` builds what needs no NCCL.
vgpu:
	@$(MAKE) --no-print-directory -C vgpu all

SUITE_OBJS := $(patsubst %.cc,$(OUT)/%.o,$(wildcard vgpu/suite/*.cc))
SUITE := $(OUT)/vgpu-suite
$(SUITE): $(SUITE_OBJS) $(OUT)/unit/emu-programs/process.o
	$(call say,LD,$@)
	$(Q)$(CXX) $(CXXFLAGS) $(LDFLAGS) -o $@ $^ $(TESTLIBS)
-include $(SUITE_OBJS:.o=.d)

# NCCL_STATIC=FILE: this archive instead of Debian's; NCCL_SUITES="trixie sid": which of Debian's.
test-nccl: vgpu emu $(SUITE)
	@NCCL_STATIC="$(NCCL_STATIC)" NCCL_SUITES="$(NCCL_SUITES)" vgpu/test-nccl $(SUITE)

.PHONY: vgpu test-nccl
