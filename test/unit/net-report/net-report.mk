# SPDX-License-Identifier: Apache-2.0
# Reports on faults of the emulated verbs, with the rig of the data path's tests and the control of the repair's.
REPORT_RIG := $(addprefix $(OUT)/unit/,net-repair/control.o net-data/rig.o)
$(OUT)/unit-net-report: $(REPORT_RIG) $(EMU_LIB)
$(OUT)/bars/bar-net-reports: $(OUT)/unit/net-report/fault_cases.o $(REPORT_RIG) $(EMU_LIB)
