# SPDX-License-Identifier: Apache-2.0
# The verbs cases on the kernel and on the emulator: what they do differently and differences does not list is a failure.
case_conformance() {
  local profile=rxe-6.12; case $(uname -r) in 6.1.*) profile=rxe-6.1;; esac
  POLYRAIL_BUILD=$BUILD "$here/../emu/conformance/compare" "$profile" env
}
