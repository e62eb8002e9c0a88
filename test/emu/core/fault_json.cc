// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <string_view>

#include "test/emu/core/fabric.h"
#include "test/emu/core/fault.h"
#include "test/emu/core/json_reader.h"
#include "test/emu/core/status_names.h"

namespace polyrail::emu {
namespace {

struct ActName {
  std::string_view name;
  Act act;
};

constexpr ActName kActs[] = {{"port_down", Act::kPortDown},
                             {"port_up", Act::kPortUp},
                             {"black_hole", Act::kBlackHole},
                             {"heal", Act::kHeal},
                             {"slow", Act::kSlow},
                             {"loss", Act::kLoss},
                             {"complete_with", Act::kCompleteWith},
                             {"late", Act::kLate},
                             {"ack_without_placing", Act::kAckWithoutPlacing},
                             {"reorder", Act::kReorder},
                             {"flush", Act::kFlush},
                             {"gid_change", Act::kGidChange},
                             {"gid_remove", Act::kGidRemove},
                             {"device_removal", Act::kDeviceRemoval},
                             {"host_death", Act::kHostDeath},
                             {"fail", Act::kFail},
                             {"delay", Act::kDelay}};

struct ErrorName {
  std::string_view name;
  int value;
};

constexpr ErrorName kErrors[] = {{"ENOMEM", ENOMEM},
                                 {"EINVAL", EINVAL},
                                 {"EIO", EIO},
                                 {"EAGAIN", EAGAIN},
                                 {"ENODEV", ENODEV},
                                 {"EPERM", EPERM},
                                 {"EBUSY", EBUSY},
                                 {"ETIMEDOUT", ETIMEDOUT},
                                 {"ENOSYS", ENOSYS},
                                 {"EOPNOTSUPP", EOPNOTSUPP},
                                 {"ENOSPC", ENOSPC},
                                 {"EMFILE", EMFILE},
                                 {"EHOSTUNREACH", EHOSTUNREACH},
                                 {"EPROTONOSUPPORT", EPROTONOSUPPORT}};

void readTrigger(JsonReader& r, Fault* f) {
  std::string call;
  r.time("at", &f->at);
  r.bytes("after_bytes", &f->bytes);
  r.text("watch", &f->watch);
  r.text("on_call", &call);
  r.integer("nth", &f->nth, 1, INT64_MAX);
  r.text("host", &f->callHost);
  if (r.has("after_bytes")) f->when = When::kBytes;
  if (!r.has("on_call")) return;
  f->when = When::kCall;
  for (size_t i = 0; i < kCallNames.size(); i++) {
    if (kCallNames[i] != call) continue;
    f->call = static_cast<Call>(i);
    return;
  }
  r.fail("on_call", "'" + call + "' is not a call that can be counted");
}

void readAct(JsonReader& r, Fault* f) {
  std::string name;
  r.text("do", &name);
  for (const ActName& a : kActs) {
    if (a.name != name) continue;
    f->act = a.act;
    return;
  }
  r.fail("do", "'" + name + "' is not a fault; see test/emu/README.md");
}

void readErrno(JsonReader& r, Fault* f) {
  std::string name = "EIO";
  r.text("errno", &name);
  for (const ErrorName& e : kErrors)
    if (e.name == name) f->error = e.value;
  if (f->error == 0) r.fail("errno", "'" + name + "' is not known here");
}

void readStatus(JsonReader& r, Fault* f) {
  std::string name = "GENERAL_ERR";
  r.text("status", &name);
  const std::optional<ibv_wc_status> status = findStatus(name);
  if (status)
    f->status = *status;
  else
    r.fail("status", "'" + name + "' is not a completion status like RETRY_EXC_ERR");
}

void readFilter(JsonReader& r, Fault* f) {
  r.text("op", &f->filter.op);
  r.bytes("min", &f->filter.min);
  r.bytes("max", &f->filter.max);
  for (const char* known : {"any", "data", "write", "write_imm", "send", "read", "atomic", "ack"})
    if (f->filter.op == known) return;
  r.fail("op", "expected any, data, write, write_imm, send, read, atomic or ack");
}

void readGid(JsonReader& r, Fault* f) {
  std::string gid;
  r.integer("index", &f->gidIndex, 0, 255);
  r.text("gid", &gid);
  if (!gid.empty() && !parseGid(gid, &f->gid)) r.fail("gid", "'" + gid + "' is not an address");
}

void readDetails(JsonReader& r, Fault* f) {
  r.text("target", &f->target);
  r.flag("event", &f->event);
  r.time("for", &f->lasting);
  r.time("by", &f->by);
  r.integer("count", &f->count, 0, INT64_MAX);
  r.number("amount", &f->amount, 0, 100);
  r.text("direction", &f->direction);
  if (f->direction != "both" && f->direction != "in" && f->direction != "out")
    r.fail("direction", "expected in, out or both");
  r.flag("cut", &f->cut);
  r.flag("force_psn", &f->forcePsn);
  r.flag("immediate", &f->immediate);
  r.flag("never", &f->never);
}

bool needsTarget(const Fault& f) { return f.act != Act::kFail && f.act != Act::kDelay; }

Fault readFault(const nlohmann::json& json, const std::string& place, std::string* error) {
  Fault f;
  JsonReader r(json, place, error);
  readTrigger(r, &f);
  readAct(r, &f);
  readDetails(r, &f);
  readErrno(r, &f);
  readStatus(r, &f);
  readFilter(r, &f);
  readGid(r, &f);
  if (needsTarget(f) && f.target.empty()) r.fail("target", "missing: say which port, NIC or host");
  if (!needsTarget(f) && f.when != When::kCall) r.fail("do", "fail and delay need on_call");
  if (f.watch.empty()) f.watch = f.target;
  r.finish();
  return f;
}

}  // namespace

Result<FaultScript> parseFaults(const std::string& text, const std::string& name) {
  const Result<nlohmann::json> json = parseJson(text, name);
  if (!json.ok()) return json.status();
  FaultScript script;
  std::string error;
  JsonReader r(json.value(), "", &error);
  if (const nlohmann::json* list = r.array("faults"))
    for (size_t i = 0; i < list->size(); i++)
      script.push_back(readFault((*list)[i], "faults[" + std::to_string(i) + "]", &error));
  r.finish();
  if (!error.empty()) return Status::error(name + ": " + error);
  return script;
}

}  // namespace polyrail::emu
