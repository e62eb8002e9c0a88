// SPDX-License-Identifier: Apache-2.0
// What the files of the verbs face share: how the C structs that programs hold lead back to the emulator's objects,
// and how an exported function is marked. The object of a PD, MR, CQ, SRQ, QP, AH or channel begins with its struct.
#pragma once

#include <infiniband/verbs.h>

#include <cerrno>

#include "test/emu/core/qp.h"
#include "test/emu/verbs/session.h"

#define EMU_EXPORT extern "C" __attribute__((visibility("default")))

namespace polyrail::emu {

struct FaceContext {
  verbs_context extended;  // its last member is the ibv_context that programs hold
  Context* core;
  Session* session;
};

inline FaceContext* faceOf(ibv_context* context) {
  return reinterpret_cast<FaceContext*>(reinterpret_cast<char*>(context) - offsetof(verbs_context, context));
}
inline Context* coreOf(ibv_context* context) { return faceOf(context)->core; }
inline Session* sessionOf(ibv_context* context) { return faceOf(context)->session; }
inline int hostOf(ibv_context* context) { return coreOf(context)->device->host; }

inline Pd* coreOf(ibv_pd* pd) { return reinterpret_cast<Pd*>(pd); }
inline Mr* coreOf(ibv_mr* mr) { return reinterpret_cast<Mr*>(mr); }
inline Cq* coreOf(ibv_cq* cq) { return reinterpret_cast<Cq*>(cq); }
inline Srq* coreOf(ibv_srq* srq) { return reinterpret_cast<Srq*>(srq); }
inline Qp* coreOf(ibv_qp* qp) { return reinterpret_cast<Qp*>(qp); }
inline Ah* coreOf(ibv_ah* ah) { return reinterpret_cast<Ah*>(ah); }
inline Channel* coreOf(ibv_comp_channel* channel) { return reinterpret_cast<Channel*>(channel); }

// Sets errno and returns nothing: how calls that return a pointer fail.
inline std::nullptr_t fail(int error) {
  errno = error;
  return nullptr;
}

// The entries of the ops tables (context ops and verbs_context), set by the files that have them.
void setDataOps(ibv_context* context);        // abi_data.cc
void setExtendedOps(verbs_context* context);  // abi_extended.cc
void setWorkRequestOps(Qp* qp);               // abi_wr.cc
void setPollOps(Cq* cq);                      // abi_cq_ex.cc
ibv_qp* exportQp(Qp* qp, ibv_context* context, void* userContext, ibv_pd* pd);
int queryPort(ibv_context* context, uint8_t number, ibv_port_attr* out, size_t size);
int queryDeviceEx(ibv_context* context, const ibv_query_device_ex_input* input, ibv_device_attr_ex* out, size_t size);
ibv_cq_ex* createCqEx(ibv_context* context, ibv_cq_init_attr_ex* attr);
ibv_qp* createQpEx(ibv_context* context, ibv_qp_init_attr_ex* attr);

}  // namespace polyrail::emu
