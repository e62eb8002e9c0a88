# SPDX-License-Identifier: Apache-2.0
# One short line a step; V=1 shows the commands.
ifeq ($(V),1)
Q :=
say =
else
Q := @
say = @printf '  %-8s %s\n' '$(1)' '$(patsubst ../%,%,$(patsubst ../../%,%,$(patsubst $(TOP)/%,%,$(2))))'
endif
