# SPDX-License-Identifier: Apache-2.0
# One entry for everything; the work is in the folders. `make help` lists the targets.
include mk/config.mk

SUBDIRS := common tuner net cli
TESTDIR := test

all: $(SUBDIRS)

# Arrows point one way: cli -> tuner -> common (docs/architecture.md).
tuner net: common
cli: common tuner net

$(SUBDIRS):
	@$(MAKE) --no-print-directory -C $@ all

# What the tests of the plugins link.
plugins: tuner net
	@$(MAKE) --no-print-directory -C cli model

test: all
	@$(MAKE) --no-print-directory -C $(TESTDIR) check

# The same tests under ASan+UBSan, then under TSan, each in a build tree of its own.
test-sanitizers:
	@$(MAKE) --no-print-directory ASAN=1 test
	@$(MAKE) --no-print-directory TSAN=1 test

model:
	@test/model/check

bench bars bars-long soak soak-chaos fuzz gates check-abi test-nccl test-vm: all
	@$(MAKE) --no-print-directory -C $(TESTDIR) $@

lint:
	@mk/lint

format:
	@mk/lint --fix

check-layout:
	@$(MAKE) --no-print-directory -C $(TESTDIR) $@

# Man pages and completions; needs scdoc.
docs: all
	@$(MAKE) --no-print-directory -C docs all

check-docs: docs
	@test/packages/check-docs $(BUILD)/docs
	@test/packages/check-examples $(BUILD)/docs $(BUILD)

install: all
	@for d in $(SUBDIRS) policies $(if $(shell command -v scdoc),docs); do $(MAKE) --no-print-directory -C $$d install || exit 1; done

clean:
	$(RM) -r build

help:
	@mk/help

include packaging/packaging.mk

.DEFAULT_GOAL := all
.PHONY: all plugins docs check-docs test test-sanitizers test-nccl test-vm model bench bars bars-long soak soak-chaos fuzz gates check-abi lint format install clean help $(SUBDIRS)
