# SPDX-License-Identifier: Apache-2.0
# The null libibverbs, and the bars that run the plugin on it.
NULL_SHARED := $(BUILD)/null/libibverbs.so.1
NULL_OBJS := $(OUT)/null-verbs/library.o $(OUT)/unit/net-data/null_verbs.o

$(NULL_SHARED): $(NULL_OBJS) null-verbs/null.map
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(CXXFLAGS) $(LDFLAGS) -shared -Wl,-soname,libibverbs.so.1 -Wl,--version-script=null-verbs/null.map \
		-o $@ $(NULL_OBJS)

NULL_BARS := $(addprefix $(OUT)/bars/bar-net-,blocking instructions cost)
$(NULL_BARS) $(OUT)/contract-net-events: $(OUT)/null-verbs/plugin_pair.o | $(NULL_SHARED)
$(addprefix $(OUT)/bars/bar-net-,instructions cost): $(OUT)/null-verbs/instructions.o
$(OUT)/contract-net-null: | $(NULL_SHARED)
-include $(addprefix $(OUT)/null-verbs/,library.d plugin_pair.d instructions.d)
