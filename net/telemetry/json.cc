// SPDX-License-Identifier: Apache-2.0
#include "net/telemetry/json.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "net/device/gid.h"
#include "net/telemetry/names.h"

namespace polyrail::net {
namespace {

// Members of an object, in order. Text has no characters but printable ASCII.
class Object {
 public:
  Object& add(const char* name, uint64_t value) { return raw(name, std::to_string(value)); }
  Object& add(const char* name, const std::string& value) { return raw(name, quoted(value)); }
  Object& raw(const char* name, const std::string& json) {
    text_ += (text_.empty() ? "" : ", ") + quoted(name) + ": " + json;
    return *this;
  }
  std::string text() const { return "{" + text_ + "}"; }

 private:
  static std::string quoted(const std::string& value) {
    std::string out = "\"";
    for (const char c : value) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    return out + '"';
  }
  std::string text_;
};

std::string histogramJson(const LatencyHistogram& histogram) {
  std::string out;
  for (size_t b = 0; b < histogram.size(); b++)
    if (histogram[b] > 0)
      out += (out.empty() ? "" : ", ") + Object().add("below_ns", uint64_t{2} << b).add("count", histogram[b]).text();
  return "[" + out + "]";
}

std::string railJson(const RailRecord& r) {
  Gid gid;
  std::memcpy(gid.data(), r.gid, gid.size());
  Object o;
  o.add("name", textIn(r.name)).add("netdev", textIn(r.netdev)).add("pci", textIn(r.pci)).add("gid", text(gid));
  o.add("speed_mbps", r.speedMbps).add("state", nameOf(r.state));
  o.add("bytes_sent", r.bytesSent).add("bytes_received", r.bytesReceived);
  o.add("chunks_sent", r.chunksSent).add("chunks_received", r.chunksReceived);
  o.add("failures", r.failures).add("revivals", r.revivals).add("stuck", r.stuck);
  o.add("port_downs", r.portDowns).add("last_cause", textIn(r.lastCause));
  return o.raw("latency", histogramJson(r.latency)).text();
}

std::string rankOr(const TelemetryHeader& h, const char* unknown) {
  return h.rank == kNoRank ? unknown : std::to_string(h.rank);
}

bool writeAll(int descriptor, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t n = write(descriptor, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) done += static_cast<size_t>(n);
  }
  return true;
}

}  // namespace

std::string telemetryJson(const TelemetryHeader& h, const std::vector<RailRecord>& rails) {
  std::string list;
  for (const RailRecord& r : rails) list += (list.empty() ? "\n    " : ",\n    ") + railJson(r);
  const uint64_t lasted = static_cast<uint64_t>(h.updatedTime - h.startTime);
  Object o;
  o.add("version", uint64_t{1}).add("polyrail", textIn(h.release)).add("host", textIn(h.host));
  o.add("process", h.process).add("command", textIn(h.command)).raw("rank", rankOr(h, "null"));
  o.add("start_ns", static_cast<uint64_t>(h.startWall)).add("lasted_ns", lasted).add("comms", h.commsOpened);
  return o.raw("rails", "[" + list + "\n  ]").text() + "\n";
}

std::string expandName(const std::string& pattern, const TelemetryHeader& h) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); i++) {
    const char letter = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (letter == 'p')
      out += std::to_string(h.process);
    else if (letter == 'h')
      out += textIn(h.host);
    else if (letter == 'r')
      out += rankOr(h, "unknown");
    else
      out += pattern[i];
    i += letter == 'p' || letter == 'h' || letter == 'r' || letter == '%';
  }
  return out;
}

Status writeFile(const std::string& name, const std::string& text) {
  const std::string fresh = name + "." + std::to_string(getpid()) + ".new";
  const int descriptor = open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) return Status::error(fresh + ": " + std::strerror(errno));
  const bool whole = writeAll(descriptor, text);
  const int error = errno;
  close(descriptor);
  if (whole && rename(fresh.c_str(), name.c_str()) == 0) return {};
  const Status failed = Status::error(name + ": " + std::strerror(whole ? errno : error));
  unlink(fresh.c_str());
  return failed;
}

}  // namespace polyrail::net
