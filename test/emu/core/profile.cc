// SPDX-License-Identifier: Apache-2.0
#include "test/emu/core/profile.h"

namespace polyrail::emu {
namespace {

constexpr Profile kProfiles[] = {
    {.name = "spec",
     .qpAccessEvent = true,
     .slotsFreedByPolling = true,
     .retrySevenIsForever = false,
     .timerStep = 0,
     .adminDown = IBV_WC_SUCCESS,
     .interruptedIsFlushed = false,
     .gidGone = IBV_WC_SUCCESS,
     .badLocalKey = IBV_WC_LOC_PROT_ERR,
     .overlongIsOperation = false,
     .poisonOnError = true,
     .deafInError = false,
     .dmabuf = true,
     .maxMessage = 1u << 31,
     .gidTable = 256,
     .gidTypes = 3},
    {.name = "rxe-6.1",
     .qpAccessEvent = false,
     .slotsFreedByPolling = false,
     .retrySevenIsForever = true,
     .timerStep = 4'000'000,
     .adminDown = IBV_WC_LOC_QP_OP_ERR,
     .interruptedIsFlushed = false,
     .gidGone = IBV_WC_LOC_QP_OP_ERR,
     .badLocalKey = IBV_WC_LOC_QP_OP_ERR,
     .overlongIsOperation = true,
     .poisonOnError = false,
     .deafInError = true,
     .dmabuf = false,
     .maxMessage = 8u << 20,
     .gidTable = 1024,
     .gidTypes = 2},
    {.name = "rxe-6.12",
     .qpAccessEvent = false,
     .slotsFreedByPolling = false,
     .retrySevenIsForever = true,
     .timerStep = 4'000'000,
     .adminDown = IBV_WC_SUCCESS,
     .interruptedIsFlushed = true,
     .gidGone = IBV_WC_LOC_QP_OP_ERR,
     .badLocalKey = IBV_WC_LOC_QP_OP_ERR,
     .overlongIsOperation = true,
     .poisonOnError = false,
     .deafInError = true,
     .dmabuf = false,
     .maxMessage = 1u << 31,
     .gidTable = 1024,
     .gidTypes = 2},
};

}  // namespace

const Profile* findProfile(std::string_view name) {
  for (const Profile& p : kProfiles)
    if (p.name == name) return &p;
  return nullptr;
}

}  // namespace polyrail::emu
