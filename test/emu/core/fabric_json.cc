// SPDX-License-Identifier: Apache-2.0
#include "test/emu/core/fabric.h"
#include "test/emu/core/json_reader.h"

namespace polyrail::emu {
namespace {

using Json = nlohmann::json;

std::string at(const std::string& place, size_t index) { return place + "[" + std::to_string(index) + "]"; }

void readGid(const Json& json, const std::string& place, GidSpec* gid, std::string* error) {
  JsonReader r(json, place, error);
  std::string address, type = "RoCEv2";
  r.text("gid", &address);
  r.text("type", &type);
  r.text("ndev", &gid->ndev);
  if (!parseGid(address, &gid->gid)) r.fail("gid", "'" + address + "' is not an IPv6 or IPv4 address");
  if (type == "IB")
    gid->type = IBV_GID_TYPE_IB;
  else if (type == "RoCEv1")
    gid->type = IBV_GID_TYPE_ROCE_V1;
  else if (type != "RoCEv2")
    r.fail("type", "expected IB, RoCEv1 or RoCEv2");
  r.finish();
}

// The fields of a port; also used for "defaults", which every port starts from.
void readPortFields(JsonReader& r, PortSpec* p, std::string* error) {
  std::string layer = p->ethernet ? "Ethernet" : "InfiniBand";
  r.text("link_layer", &layer);
  if (layer != "Ethernet" && layer != "InfiniBand") r.fail("link_layer", "expected Ethernet or InfiniBand");
  p->ethernet = layer == "Ethernet";
  r.text("address", &p->address);
  r.text("ndev", &p->ndev);
  r.integer("lid", &p->lid, 1, 0xbfff);
  r.integer("plane", &p->plane, 0, 1 << 20);
  r.rate("rate", &p->rate);
  r.rate("speed", &p->speed);
  r.time("latency", &p->latency);
  r.time("jitter", &p->jitter);
  r.number("loss", &p->loss, 0, 1);
  r.bytes("window", &p->window);
  r.integer("mtu", &p->mtu, 256, 4096);
  if (p->mtu & (p->mtu - 1)) r.fail("mtu", "expected 256, 512, 1024, 2048 or 4096");
  if (p->window < 1) r.fail("window", "expected at least one byte");
  if (const Json* pkeys = r.array("pkeys")) {
    p->pkeys.clear();
    for (const Json& one : *pkeys)
      if (one.is_number_unsigned() && one <= 0xffff)
        p->pkeys.push_back(one);
      else
        r.fail("pkeys", "expected numbers up to 65535");
  }
  if (const Json* gids = r.array("gids")) {
    p->gids.resize(gids->size());
    for (size_t i = 0; i < gids->size(); i++) readGid((*gids)[i], at(r.place("gids"), i), &p->gids[i], error);
  }
}

void readLimits(const Json& json, const std::string& place, Limits* l, std::string* error) {
  JsonReader r(json, place, error);
  const struct {
    const char* key;
    int64_t* value;
  } fields[] = {{"max_qp", &l->maxQp},
                {"max_cq", &l->maxCq},
                {"max_mr", &l->maxMr},
                {"max_pd", &l->maxPd},
                {"max_srq", &l->maxSrq},
                {"max_ah", &l->maxAh},
                {"max_qp_wr", &l->maxQpWr},
                {"max_cqe", &l->maxCqe},
                {"max_sge", &l->maxSge},
                {"max_inline", &l->maxInline},
                {"max_rd_atomic", &l->maxRdAtomic},
                {"qpn_range", &l->qpnRange}};
  for (const auto& f : fields) r.integer(f.key, f.value, 0, INT32_MAX);
  r.bytes("memlock", &l->memlock);
  r.finish();
}

struct Defaults {
  PortSpec port;
  Limits limits;
};

void readNic(const Json& json, const std::string& place, const Defaults& defaults, NicSpec* nic, std::string* error) {
  JsonReader r(json, place, error);
  r.text("name", &nic->name);
  r.text("pci", &nic->pci);
  r.integer("numa", &nic->numa, -1, 1024);
  r.integer("guid", &nic->guid, 1, INT64_MAX);
  r.integer("vendor_id", &nic->vendorId, 0, 0xffffff);
  r.integer("part_id", &nic->partId, 0, INT32_MAX);
  r.integer("ece_options", &nic->eceOptions, 0, INT32_MAX);
  r.text("firmware", &nic->firmware);
  r.text("board", &nic->board);
  nic->limits = defaults.limits;
  if (const Json* limits = r.object("limits")) readLimits(*limits, r.place("limits"), &nic->limits, error);
  PortSpec base = defaults.port;  // a NIC of one port may say its fields without a list of ports
  readPortFields(r, &base, error);
  const Json* ports = r.array("ports");
  nic->ports.assign(ports ? ports->size() : 1, base);
  for (size_t i = 0; ports && i < ports->size(); i++) {
    JsonReader p((*ports)[i], at(r.place("ports"), i), error);
    readPortFields(p, &nic->ports[i], error);
    p.finish();
  }
  r.finish();
}

void readHost(const Json& json, const std::string& place, const Defaults& defaults, HostSpec* host,
              std::string* error) {
  JsonReader r(json, place, error);
  r.text("name", &host->name);
  if (const Json* nics = r.array("nics")) {
    host->nics.resize(nics->size());
    for (size_t i = 0; i < nics->size(); i++)
      readNic((*nics)[i], at(r.place("nics"), i), defaults, &host->nics[i], error);
  }
  r.finish();
}

void readCpu(const Json& json, const std::string& place, CpuCosts* cpu, std::string* error) {
  JsonReader r(json, place, error);
  r.time("post", &cpu->post);
  r.time("poll", &cpu->poll);
  r.time("other", &cpu->other);
  r.finish();
}

void readCables(const Json& json, JsonReader& r, Fabric* fabric) {
  for (const Json& pair : json) {
    if (pair.is_array() && pair.size() == 2 && pair[0].is_string() && pair[1].is_string())
      fabric->cables.emplace_back(pair[0].get<std::string>(), pair[1].get<std::string>());
    else
      r.fail("cables", "expected pairs like [\"a/emu0\", \"b/emu0\"]");
  }
}

void readDefaults(const Json& json, const std::string& place, Defaults* defaults, std::string* error) {
  JsonReader r(json, place, error);
  readPortFields(r, &defaults->port, error);
  if (const Json* limits = r.object("limits")) readLimits(*limits, r.place("limits"), &defaults->limits, error);
  r.finish();
}

void readFabric(const Json& json, Fabric* fabric, std::string* error) {
  JsonReader r(json, "", error);
  std::string profile = "spec";
  r.text("profile", &profile);
  fabric->profile = findProfile(profile);
  if (!fabric->profile) r.fail("profile", "expected spec, rxe-6.1 or rxe-6.12");
  r.integer("seed", &fabric->seed, 0, INT64_MAX);
  r.bytes("segment", &fabric->segment);
  if (fabric->segment < 256) r.fail("segment", "expected at least 256 bytes");
  r.bytes("header_bytes", &fabric->headerBytes);
  if (const Json* cpu = r.object("cpu")) readCpu(*cpu, "cpu", &fabric->cpu, error);
  Defaults defaults;
  if (const Json* d = r.object("defaults")) readDefaults(*d, "defaults", &defaults, error);
  if (const Json* hosts = r.array("hosts")) {
    fabric->hosts.resize(hosts->size());
    for (size_t i = 0; i < hosts->size(); i++)
      readHost((*hosts)[i], at("hosts", i), defaults, &fabric->hosts[i], error);
  }
  if (fabric->hosts.empty()) r.fail("hosts", "expected at least one host");
  if (const Json* cables = r.array("cables")) readCables(*cables, r, fabric);
  r.finish();
}

}  // namespace

Result<Fabric> parseFabric(const std::string& text, const std::string& name) {
  const Result<nlohmann::json> json = parseJson(text, name);
  if (!json.ok()) return json.status();
  Fabric fabric;
  std::string error;
  readFabric(json.value(), &fabric, &error);
  if (!error.empty()) return Status::error(name + ": " + error);
  completeFabric(&fabric);
  return fabric;
}

}  // namespace polyrail::emu
