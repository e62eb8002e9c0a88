# SPDX-License-Identifier: Apache-2.0
# What every folder's Makefile shares: where things go and how they are compiled. A user's CXXFLAGS, CPPFLAGS
# and LDFLAGS are kept and come last; ours are added by `override`.
TOP := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))/..)
VERSION := $(shell cat $(TOP)/VERSION)

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
SYSCONFDIR ?= /etc
DESTDIR ?=

# Folder of the shared measurements that some tests and bars read; without it they are reported as skipped.
DATA ?=
export DATA

FLAVOUR := release
ifeq ($(ASAN),1)
FLAVOUR := asan
SANFLAGS := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
endif
ifeq ($(TSAN),1)
FLAVOUR := tsan
SANFLAGS := -fsanitize=thread -fno-omit-frame-pointer
endif
# Relative: ccache writes dependency files with relative names, and a target must have the name make knows it by. One
# given on the command line must be absolute.
BUILD ?= $(shell realpath -m --relative-to=$(CURDIR) $(TOP))/build/$(FLAVOUR)

CXX ?= g++
AR ?= ar
INSTALL ?= install
# -g1: line numbers in backtraces; full debug information doubles the build. Packages set their own flags.
OPTFLAGS ?= -O2 -g1
# cli/output/fmt.cc compiles fmt 9 (Debian 12's) once; any other is taken as headers only.
ifndef FMT_VERSION
FMT_VERSION := $(shell printf '\043include <fmt/core.h>\nFMT_VERSION' | $(CXX) $(CPPFLAGS) -E -P -x c++ - 2>/dev/null | tail -n 1)
export FMT_VERSION
endif
FMT_FLAGS := $(if $(filter 9%,$(FMT_VERSION)),,-DFMT_HEADER_ONLY)
WARNFLAGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Wold-style-cast
HARDENING := -fstack-protector-strong -fno-plt
override CPPFLAGS += -I$(TOP) -DPOLYRAIL_VERSION='"$(VERSION)"' $(FMT_FLAGS)
override CXXFLAGS := -std=c++20 $(OPTFLAGS) $(WARNFLAGS) $(HARDENING) -fPIC -fvisibility=hidden \
	-fvisibility-inlines-hidden -ffunction-sections -fdata-sections -fno-semantic-interposition \
	-ffile-prefix-map=$(TOP)=. $(SANFLAGS) $(CXXFLAGS)
ifneq ($(findstring clang,$(CXX)),clang)
override CXXFLAGS += -fno-gnu-unique
endif
override LDFLAGS := $(SANFLAGS) $(LDFLAGS)

# The static SQLite, where there is one: RHEL ships none, there the shared one is taken.
SQLITE = $(if $(findstring /,$(shell $(CXX) -print-file-name=libsqlite3.a)),-l:libsqlite3.a,-lsqlite3)

# One time for all that carries one (man pages, packages): that of the last commit, or of the source tarball.
ifndef SOURCE_DATE_EPOCH
export SOURCE_DATE_EPOCH := $(shell git -C $(TOP) log -1 --format=%ct 2>/dev/null || stat -c %Y $(TOP)/VERSION)
endif

include $(TOP)/mk/quiet.mk

# Objects depend on this file, so that a change of flags or compiler rebuilds them.
FLAGSTAMP := $(BUILD)/flags
FLAGTEXT := $(CXX) $(CPPFLAGS) $(CXXFLAGS)
ifneq ($(file <$(FLAGSTAMP)),$(FLAGTEXT))
$(shell mkdir -p $(BUILD))
$(file >$(FLAGSTAMP),$(FLAGTEXT))
endif
