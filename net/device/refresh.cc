// SPDX-License-Identifier: Apache-2.0
#include "net/device/refresh.h"

#include "net/device/gid_table.h"

namespace polyrail::net {
namespace {

Status refreshPkey(const Verbs& verbs, ibv_context* context, const SysRoot& root, const PkeyWish& wish, int length,
                   Port* port) {
  std::vector<PkeyEntry> table = readPkeyTable(root, port->device, port->number);
  if (table.empty()) table = queryPkeyTable(verbs, context, port->number, length);
  const Result<PkeyChoice> choice = choosePkey(table, wish);
  if (!choice.ok())
    return Status::error(port->name() + ": " + choice.message() + "; " + pkeyRemedy(port->link, wish));
  port->pkey = choice.value();
  return {};
}

}  // namespace

Status refreshPort(const Verbs& verbs, ibv_context* context, const SysRoot& root, const DeviceSettings& settings,
                   Port* port) {
  ibv_port_attr attributes{};
  if (queryPort(verbs, context, port->number, &attributes) == 0) {
    port->lid = attributes.lid;
    port->mtu = static_cast<uint8_t>(attributes.active_mtu);
  }
  Result<GidChoice> gid = chooseGidNow(verbs, context, root, *port, settings);
  if (!gid.ok()) return gid.status();
  port->gid = std::move(gid).value();
  return refreshPkey(verbs, context, root, settings.pkey, attributes.pkey_tbl_len, port);
}

}  // namespace polyrail::net
