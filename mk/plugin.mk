# SPDX-License-Identifier: Apache-2.0
# How a plugin is linked. Included after mk/rules.mk by a room that has set PLUGIN (the library's file name) and
# PLUGIN_MAP (its version script). All of $(LIB) goes in, of libcommon.a what it needs. libstdc++ is linked statically,
# so that the plugin loads into processes with any other, and libgcc_s is not, because exceptions cross no other way
# and its static form would need a newer glibc. Sanitizers need the shared libstdc++.
PLUGIN_FILE := $(BUILD)/$(PLUGIN)
PLUGIN_EXTRA := $(if $(SANFLAGS),,$(BUILD)/$(ROOM)/exception_memory.o)
PLUGIN_LDFLAGS := -shared -Wl,-soname,$(PLUGIN) -Wl,--version-script=$(PLUGIN_MAP) -Wl,--gc-sections \
	-Wl,--exclude-libs,libstdc++.a:libcommon.a -Wl,-z,now,-z,relro,-z,noexecstack \
	$(if $(SANFLAGS),,-static-libstdc++ -Wl,-z,defs)

$(PLUGIN_FILE): $(LIB) $(BUILD)/lib/libcommon.a $(PLUGIN_EXTRA) $(PLUGIN_MAP)
	$(call say,LD,$@)
	$(Q)$(CXX) $(CXXFLAGS) $(LDFLAGS) $(PLUGIN_LDFLAGS) -o $@ $(PLUGIN_EXTRA) -Wl,--whole-archive $(LIB) \
		-Wl,--no-whole-archive $(BUILD)/lib/libcommon.a

$(BUILD)/$(ROOM)/exception_memory.o: $(TOP)/common/plugin/exception_memory.cc $(FLAGSTAMP)
	$(call say,CXX,$<)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(CPPFLAGS) $(CXXFLAGS) -MMD -MP -c -o $@ $<

-include $(BUILD)/$(ROOM)/exception_memory.d
