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

# A bar that runs jobs of its own; run-bars gives it the NCCL of VGPU_NCCL, else the newest that test-nccl has linked.
$(OUT)/bars/bar-nccl: $(addprefix $(OUT)/vgpu/suite/,job.o outcome.o cluster.o) $(OUT)/unit/emu-programs/process.o | vgpu emu

# NCCL_STATIC=FILE: this archive instead of Debian's; NCCL_SUITES="trixie sid": which of Debian's.
test-nccl: vgpu emu $(SUITE)
	@NCCL_STATIC="$(NCCL_STATIC)" NCCL_SUITES="$(NCCL_SUITES)" vgpu/test-nccl $(SUITE)

# The interpreter's layouts against a checkout of NCCL.
check-layout:
	@vgpu/check/check-layout "$(NCCL_SRC)" $(OUT)/check-layout

.PHONY: vgpu test-nccl check-layout
