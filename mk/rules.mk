# SPDX-License-Identifier: Apache-2.0
# Included by a folder's Makefile after it has set ROOM (its folder name) and SRCS (relative paths).
# Builds $(LIB), the room's one static library; the plugins, the command and the tests link that same archive.
OUT := $(BUILD)/$(ROOM)
OBJS := $(addprefix $(OUT)/,$(SRCS:.cc=.o))
LIB := $(BUILD)/lib/lib$(subst /,-,$(ROOM)).a

$(LIB): $(OBJS)
	$(call say,AR,$@)
	@mkdir -p $(@D)
	$(Q)$(RM) $@ && $(AR) rcsD $@ $(sort $^)

$(OUT)/%.o: %.cc $(FLAGSTAMP)
	$(call say,CXX,$(ROOM)/$<)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(CPPFLAGS) $(CXXFLAGS) -MMD -MP -c -o $@ $<

-include $(OBJS:.o=.d)
