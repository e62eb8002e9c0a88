# SPDX-License-Identifier: Apache-2.0
# Failure repair on emulated verbs, with the rig of the data path's tests.
$(OUT)/unit-net-repair: $(addprefix $(OUT)/unit/net-data/,rig.o driver.o) $(EMU_LIB)
$(OUT)/soak/soak-chaos: $(addprefix $(OUT)/,soak/soak-chaos.o $(addprefix unit/,net-repair/chaos.o net-repair/chaos_faults.o net-repair/control.o net-data/rig.o)) $(EMU_LIB) $(PLUGIN_LIBS)
	$(call say,LD,$@)
	$(Q)$(CXX) $(CXXFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter-out %.o,$^) $(TESTLIBS)
-include $(OUT)/soak/soak-chaos.d
$(OUT)/bars/bar-net-failover: $(addprefix $(OUT)/unit/,net-repair/chaos.o net-repair/chaos_faults.o net-repair/control.o net-data/rig.o) $(EMU_LIB)
$(OUT)/bars/bar-net-borrow $(OUT)/bars/bar-net-standby: $(addprefix $(OUT)/unit/,net-repair/control.o net-data/rig.o) $(EMU_LIB)
