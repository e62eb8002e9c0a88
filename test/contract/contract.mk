# SPDX-License-Identifier: Apache-2.0
# Plugins of our own that the contract tests load: one .so per file of plugins/. They export their tables and need only
# glibc, as any plugin.
PLUGINS := $(patsubst contract/plugins/%.cc,$(OUT)/plugins/%.so,$(wildcard contract/plugins/*.cc))

$(OUT)/plugins/%.so: contract/plugins/%.cc $(FLAGSTAMP)
	$(call say,PLUGIN,$@)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(CPPFLAGS) $(CXXFLAGS) $(LDFLAGS) -MMD -MP -MF $(@:.so=.d) -MT $@ -shared -o $@ $<
-include $(PLUGINS:.so=.d)

# Programs that the tests run as separate processes.
TOOLS := $(OUT)/tuner-decisions
$(OUT)/tuner-decisions: $(OUT)/contract/tools/tuner_decisions.o $(LIBS)
	$(call say,LD,$@)
	$(Q)$(CXX) $(CXXFLAGS) $(LDFLAGS) -o $@ $^ $(TESTLIBS)
-include $(OUT)/contract/tools/tuner_decisions.d

$(OUT)/contract-tuner: | $(PLUGINS) $(TOOLS)
