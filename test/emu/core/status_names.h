// SPDX-License-Identifier: Apache-2.0
// Completion statuses by the name that verbs.h gives them, without its prefix: "RETRY_EXC_ERR". Pure functions.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <optional>
#include <string_view>

namespace polyrail::emu {

constexpr std::array<std::string_view, IBV_WC_TM_RNDV_INCOMPLETE + 1> kStatusNames = {"SUCCESS",
                                                                                      "LOC_LEN_ERR",
                                                                                      "LOC_QP_OP_ERR",
                                                                                      "LOC_EEC_OP_ERR",
                                                                                      "LOC_PROT_ERR",
                                                                                      "WR_FLUSH_ERR",
                                                                                      "MW_BIND_ERR",
                                                                                      "BAD_RESP_ERR",
                                                                                      "LOC_ACCESS_ERR",
                                                                                      "REM_INV_REQ_ERR",
                                                                                      "REM_ACCESS_ERR",
                                                                                      "REM_OP_ERR",
                                                                                      "RETRY_EXC_ERR",
                                                                                      "RNR_RETRY_EXC_ERR",
                                                                                      "LOC_RDD_VIOL_ERR",
                                                                                      "REM_INV_RD_REQ_ERR",
                                                                                      "REM_ABORT_ERR",
                                                                                      "INV_EECN_ERR",
                                                                                      "INV_EEC_STATE_ERR",
                                                                                      "FATAL_ERR",
                                                                                      "RESP_TIMEOUT_ERR",
                                                                                      "GENERAL_ERR",
                                                                                      "TM_ERR",
                                                                                      "TM_RNDV_INCOMPLETE"};

inline std::string_view statusName(ibv_wc_status status) {
  return status < kStatusNames.size() ? kStatusNames[status] : "UNKNOWN";
}

inline std::optional<ibv_wc_status> findStatus(std::string_view name) {
  for (size_t i = 0; i < kStatusNames.size(); i++)
    if (kStatusNames[i] == name) return static_cast<ibv_wc_status>(i);
  return std::nullopt;
}

}  // namespace polyrail::emu
