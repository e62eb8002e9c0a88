// SPDX-License-Identifier: Apache-2.0
// nccl-load: are the plugins found by the names that a job gives, and do they serve? Reads NCCL_TUNER_PLUGIN and
// NCCL_NET_PLUGIN as NCCL 2.27.5 and newer do (src/plugin/plugin_open.cc: the value itself, then
// libnccl-KIND-VALUE.so), makes one communicator with each plugin and prints one line for each. A node without a
// network port has a net plugin that loads and says why it cannot serve: NCCL then uses its own. Exit status: 0 all
// loaded, 1 one did not, 2 none named.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "test/contract/host/net_host.h"
#include "test/contract/host/tuner_host.h"

namespace polyrail::contract {
namespace {

// The name under which dlopen finds it, or what dlopen said of both.
Result<std::string> nameOf(const char* kind, const std::string& value) {
  Result<Library> direct = Library::open(value);
  if (direct.ok()) return value;
  if (value.find('/') != std::string::npos) return direct.status();
  const std::string made = std::string("libnccl-") + kind + "-" + value + ".so";
  Result<Library> library = Library::open(made);
  return library.ok() ? Result<std::string>(made) : library.status();
}

// What the tuner makes of one AllReduce, or why it does not serve.
Result<std::string> useTuner(const std::string& file) {
  Result<TunerHost> host = TunerHost::load(file, kNcclReleases.back(), nullptr);
  if (!host.ok()) return host.status();
  Result<Communicator> comm = host.value().create(CommShape());
  if (!comm.ok()) return comm.status();
  Call call;
  call.bytes = 1 << 20;
  const bool untouched = host.value().ask(comm.value(), call).untouched();
  host.value().destroy(comm.value());
  return std::string("tuner v") + std::to_string(host.value().abi()) +
         (untouched ? ", leaves NCCL's choice" : ", chooses");
}

Result<std::string> useNet(const std::string& file) {
  Result<std::unique_ptr<NetHost>> host = NetHost::load(file, 12);
  if (!host.ok()) return host.status();
  const std::string abi = "net v" + std::to_string(host.value()->calls().abi);
  Result<void*> context = host.value()->join(1);
  if (!context.ok()) return abi + ", no port to serve here\n" + host.value()->log().text();
  const int devices = host.value()->devices();
  host.value()->leave(context.value());
  return abi + ", " + std::to_string(devices) + (devices == 1 ? " device" : " devices");
}

using Use = Result<std::string> (*)(const std::string& file);

bool report(const char* variable, const char* kind, const char* value, Use use) {
  Result<std::string> name = nameOf(kind, value);
  Result<std::string> said = name.ok() ? use(name.value()) : name;
  if (said.ok())
    printf("%s=%s: %s: %s\n", variable, value, name.value().c_str(), said.value().c_str());
  else
    fprintf(stderr, "%s=%s: %s\n", variable, value, said.message().c_str());
  return said.ok();
}

int loadAll() {
  const char* tuner = getenv("NCCL_TUNER_PLUGIN");
  const char* net = getenv("NCCL_NET_PLUGIN");
  if (!tuner && !net) {
    fprintf(stderr, "nccl-load: set NCCL_TUNER_PLUGIN, NCCL_NET_PLUGIN or both, as a job would\n");
    return 2;
  }
  bool ok = true;
  if (tuner) ok &= report("NCCL_TUNER_PLUGIN", "tuner", tuner, useTuner);
  if (net) ok &= report("NCCL_NET_PLUGIN", "net", net, useNet);
  return ok ? 0 : 1;
}

}  // namespace
}  // namespace polyrail::contract

int main() { return polyrail::contract::loadAll(); }
