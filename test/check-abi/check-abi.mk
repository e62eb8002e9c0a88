# SPDX-License-Identifier: Apache-2.0
# make check-abi NCCL_SRC=DIR: our plugin ABI beside that of an NCCL checkout; V=1 prints every member.
check-abi:
	@CXX="$(CXX)" check-abi/check-abi "$(NCCL_SRC)" "$(OUT)/check-abi" $(if $(filter 1,$(V)),-v)

.PHONY: check-abi
