// SPDX-License-Identifier: Apache-2.0
#include "net/verbs/load.h"

#include <dlfcn.h>

#include <cstddef>

#include "net/verbs/symbols.h"

namespace polyrail::net {
namespace {

constexpr char kDefaultLibrary[] = "libibverbs.so.1";

// Versions as rdma-core's libibverbs.map gives them; 1.1 is also what NCCL asks for (src/misc/ibvsymbols.cc, 2.30.7),
// so a library that serves NCCL serves us.
#define POLYRAIL_VERB(member, symbol, version, required) \
  Symbol { symbol, version, offsetof(Verbs, member), required }
constexpr Symbol kSymbols[] = {
    POLYRAIL_VERB(getDeviceList, "ibv_get_device_list", "IBVERBS_1.1", true),
    POLYRAIL_VERB(freeDeviceList, "ibv_free_device_list", "IBVERBS_1.1", true),
    POLYRAIL_VERB(getDeviceName, "ibv_get_device_name", "IBVERBS_1.1", true),
    POLYRAIL_VERB(openDevice, "ibv_open_device", "IBVERBS_1.1", true),
    POLYRAIL_VERB(closeDevice, "ibv_close_device", "IBVERBS_1.1", true),
    POLYRAIL_VERB(getAsyncEvent, "ibv_get_async_event", "IBVERBS_1.1", true),
    POLYRAIL_VERB(ackAsyncEvent, "ibv_ack_async_event", "IBVERBS_1.1", true),
    POLYRAIL_VERB(queryDevice, "ibv_query_device", "IBVERBS_1.1", true),
    POLYRAIL_VERB(queryPortRaw, "ibv_query_port", "IBVERBS_1.1", true),
    POLYRAIL_VERB(queryGid, "ibv_query_gid", "IBVERBS_1.1", true),
    POLYRAIL_VERB(queryGidEx, "_ibv_query_gid_ex", "IBVERBS_1.11", false),
    POLYRAIL_VERB(queryGidTable, "_ibv_query_gid_table", "IBVERBS_1.11", false),
    POLYRAIL_VERB(queryPkey, "ibv_query_pkey", "IBVERBS_1.1", false),
    POLYRAIL_VERB(queryPortSpeed, "ibv_query_port_speed", "IBVERBS_1.16", false),
    POLYRAIL_VERB(forkInit, "ibv_fork_init", "IBVERBS_1.1", false),
    POLYRAIL_VERB(isForkInitialized, "ibv_is_fork_initialized", "IBVERBS_1.13", false),
    POLYRAIL_VERB(allocPd, "ibv_alloc_pd", "IBVERBS_1.1", true),
    POLYRAIL_VERB(deallocPd, "ibv_dealloc_pd", "IBVERBS_1.1", true),
    POLYRAIL_VERB(regMr, "ibv_reg_mr", "IBVERBS_1.1", true),
    POLYRAIL_VERB(regMrIova2, "ibv_reg_mr_iova2", "IBVERBS_1.8", false),
    POLYRAIL_VERB(regDmabufMr, "ibv_reg_dmabuf_mr", "IBVERBS_1.12", false),
    POLYRAIL_VERB(deregMr, "ibv_dereg_mr", "IBVERBS_1.1", true),
    POLYRAIL_VERB(createCq, "ibv_create_cq", "IBVERBS_1.1", true),
    POLYRAIL_VERB(destroyCq, "ibv_destroy_cq", "IBVERBS_1.1", true),
    POLYRAIL_VERB(createQp, "ibv_create_qp", "IBVERBS_1.1", true),
    POLYRAIL_VERB(modifyQp, "ibv_modify_qp", "IBVERBS_1.1", true),
    POLYRAIL_VERB(queryQp, "ibv_query_qp", "IBVERBS_1.1", true),
    POLYRAIL_VERB(destroyQp, "ibv_destroy_qp", "IBVERBS_1.1", true),
    POLYRAIL_VERB(eventTypeStr, "ibv_event_type_str", "IBVERBS_1.1", true),
    POLYRAIL_VERB(wcStatusStr, "ibv_wc_status_str", "IBVERBS_1.1", true),
    POLYRAIL_VERB(queryEce, "ibv_query_ece", "IBVERBS_1.10", false),
    POLYRAIL_VERB(setEce, "ibv_set_ece", "IBVERBS_1.10", false),
};
#undef POLYRAIL_VERB

}  // namespace

Result<VerbsLibrary> loadVerbs(const std::string& name) {
  VerbsLibrary library;
  library.name = name.empty() ? kDefaultLibrary : name;
  library.handle = dlopen(library.name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library.handle)
    return Status::error("no verbs library: " + loaderReason() +
                         "; install rdma-core (libibverbs1 and a provider), or name one in NCCL_IBVERBS_LIB");
  const char* missing = resolve(library.handle, kSymbols, &library.verbs);
  if (!missing) return library;
  closeVerbs(library);
  return Status::error(library.name + " has no " + missing + "; it is too old or no libibverbs");
}

void closeVerbs(VerbsLibrary& library) {
  if (library.handle) dlclose(library.handle);
  library.handle = nullptr;
  library.verbs = {};
}

}  // namespace polyrail::net
