# SPDX-License-Identifier: Apache-2.0
# Plugins of our own that the contract tests load: one .so per file of plugins/. They export their tables and need only
# glibc, as any plugin.
PLUGINS := $(patsubst contract/plugins/%.cc,$(OUT)/plugins/%.so,$(wildcard contract/plugins/*.cc))

$(OUT)/plugins/%.so: contract/plugins/%.cc $(FLAGSTAMP)
	$(call say,PLUGIN,$@)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(CPPFLAGS) $(CXXFLAGS) $(LDFLAGS) -MMD -MP -MF $(@:.so=.d) -MT $@ -shared -o $@ $<
-include $(PLUGINS:.so=.d)

$(OUT)/contract-tuner $(OUT)/contract-net: | $(PLUGINS)
