# SPDX-License-Identifier: Apache-2.0
# Plugins of our own that the contract tests load: one .so per file or folder of plugins/. They export their tables and
# need only glibc, as any plugin.
PLUGINDIRS := $(patsubst %/,%,$(sort $(dir $(wildcard contract/plugins/*/*.cc))))
PLUGINS := $(patsubst contract/plugins/%.cc,$(OUT)/plugins/%.so,$(wildcard contract/plugins/*.cc)) \
	$(patsubst contract/plugins/%,$(OUT)/plugins/%.so,$(PLUGINDIRS))

define PLUGIN
$(OUT)/plugins/$(notdir $(basename $(1))).so: $(patsubst %.cc,$(OUT)/%.o,$(if $(filter %.cc,$(1)),$(1),$(wildcard $(1)/*.cc)))
	$$(call say,PLUGIN,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CXX) $$(CXXFLAGS) $$(LDFLAGS) -shared -o $$@ $$^
-include $(patsubst %.cc,$(OUT)/%.d,$(if $(filter %.cc,$(1)),$(1),$(wildcard $(1)/*.cc)))
endef
$(foreach p,$(wildcard contract/plugins/*.cc) $(PLUGINDIRS),$(eval $(call PLUGIN,$(p))))
# The planted copies are the reference without its tables.
$(OUT)/plugins/planted_net.so: $(patsubst %.cc,$(OUT)/%.o,$(filter-out %/tables.cc,$(wildcard contract/plugins/reference_net/*.cc)))

# Programs: tuner-decisions, which tests run as separate ranks; net-lint; nccl-load, which names plugins as a job does.
TOOLS := $(addprefix $(OUT)/,tuner-decisions net-lint nccl-load)
define TOOL
$(OUT)/$(1): $(OUT)/contract/tools/$(subst -,_,$(1)).o $(PLUGIN_LIBS)
	$$(call say,LD,$$@)
	$$(Q)$$(CXX) $$(CXXFLAGS) $$(LDFLAGS) -o $$@ $$^ $$(TESTLIBS)
-include $(OUT)/contract/tools/$(subst -,_,$(1)).d
endef
$(foreach t,$(notdir $(TOOLS)),$(eval $(call TOOL,$(t))))
$(OUT)/net-lint: $(OUT)/contract/tools/lint_report.o
-include $(OUT)/contract/tools/lint_report.d

# What the package tests take into clean roots.
nccl-load: $(OUT)/nccl-load emu
.PHONY: nccl-load

$(OUT)/contract-tuner $(OUT)/contract-net $(OUT)/contract-perf: | $(PLUGINS) $(TOOLS)
