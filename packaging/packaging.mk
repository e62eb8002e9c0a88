# SPDX-License-Identifier: Apache-2.0
# Source and binary tarballs, RPMs and debs; all end in build/packages. Included by the top Makefile.
NAME := polyrail-$(VERSION)
PACKAGES := $(TOP)/build/packages
MACHINE := $(shell uname -m)
TAR := tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@$(SOURCE_DATE_EPOCH) --format=gnu
SOURCE := $(PACKAGES)/$(NAME).tar.gz
# Whoever distributes packages says here who that is. Debian wants an address: .invalid (RFC 2606) says that there is none.
MAINTAINER ?= The polyrail authors <unset@example.invalid>
HOMEPAGE ?=
export MAINTAINER HOMEPAGE

# From what is committed; from an unpacked source tarball, all of it but the build folder.
dist:
	@mkdir -p $(PACKAGES)
	@if git -C $(TOP) rev-parse --git-dir >/dev/null 2>&1; then \
	  git -C $(TOP) archive --format=tar --prefix=$(NAME)/ HEAD | gzip -9n > $(SOURCE); \
	else $(TAR) -C $(TOP) --exclude=./build --transform 's,^\.,$(NAME),' -c . | gzip -9n > $(SOURCE); fi
	@echo "  DIST     $(SOURCE:$(TOP)/%=%)"

tarball: all docs
	@packaging/tarball/make-tarball $(PACKAGES) $(NAME)-linux-$(MACHINE)

rpm: dist
	@packaging/rpm/build-rpms $(SOURCE) $(PACKAGES)

deb: dist
	@packaging/deb/build-debs $(SOURCE) $(PACKAGES)

# make policy-rpm POLICY=FILE CLUSTER=NAME: a package that puts one cluster's policy on its nodes.
policy-rpm policy-deb: all
	@packaging/policy/build-$@ $(BUILD)/polyrail "$(POLICY)" "$(CLUSTER)" $(PACKAGES)

# What is in build/packages, installed into clean roots, used, upgraded and removed; `make deb rpm` makes it.
test-packages: all
	@$(MAKE) --no-print-directory -C test nccl-load
	@test/packages/check-packages $(PACKAGES) $(BUILD)

reproducible:
	@packaging/check-reproducible

# reuse leaves out a file whose licence it cannot read, and says so only in its log.
sbom:
	@mkdir -p $(PACKAGES)
	@said=$$(reuse --root $(TOP) spdx -o $(PACKAGES)/$(NAME).spdx 2>&1) && ! echo "$$said" | grep ERROR
	@echo "  SBOM     build/packages/$(NAME).spdx, $$(grep -c '^FileName:' $(PACKAGES)/$(NAME).spdx) files"

.PHONY: dist tarball rpm deb policy-rpm policy-deb test-packages reproducible sbom
