# SPDX-License-Identifier: Apache-2.0
# The plugin, the command and the contract host built with ASan and UBSan, where most can go wrong: the ends of
# connections and repair.
BUILD=$SANITIZED PATH=$SANITIZED:$PATH

case_sanitized_contract() { lint rxa0,rxb0 --case shared-comm --case close-in-flight --case peer-dies; }
case_sanitized_cut_and_back() {
  impatient; unset POLYRAIL_NO_PATH_TIMEOUT
  under_load rxa0 --rails 2 --sizes 128K
  ip link set a0 down; flows_over rxa1
  rxe-rails; flows_over rxa0
  end_load
}
