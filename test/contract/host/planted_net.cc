// SPDX-License-Identifier: Apache-2.0
#include "test/contract/host/planted_net.h"

#include <cstdlib>
#include <filesystem>

namespace polyrail::contract {
namespace {

namespace fs = std::filesystem;

constexpr Planted kPlanted[] = {
    {"lost-byte", "every-size", "is wrong"},
    {"wrong-size", "every-size", "was reported as"},
    {"extra-sizes", "shared-comm", "sizes beyond the members"},
    {"double-completion", "many-messages", "is wrong"},
    {"late-write", "many-messages", "after its receive was done"},
    {"overrun", "every-size", "behind the end of a message"},
    {"outside", "empty-messages", "wrote outside a receive buffer"},
    {"unaligned-split", "optional-completion", "line was torn"},
    {"wrong-tag", "shared-comm", "was reported as"},
    {"zero-never", "empty-messages", "did not arrive in time"},
    {"keeps-mark", "optional-completion", "the mark for optional completion"},
    {"done-unwritten", "many-messages", "left *done unwritten"},
    {"null-sizes", "bootstrap", "crashed"},
    {"early-done", "every-size", "is wrong"},
    {"reused-request", "many-messages", "was reported as"},
    {"lost-message", "many-messages", "was reported as"},
    {"swapped-order", "many-messages", "was reported as"},
    {"stale-isend", "many-messages", "left *request as it was"},
    {"few-requests", "full-queues", "isend returned 3 with 16 requests"},
    {"blocking-isend", "full-queues", "isend blocked without a receive"},
    {"wrong-error", "peer-dies", "returned 3"},
    {"flush-nothing", "gpu-memory", "is wrong after its flush"},
    {"flush-zero", "gpu-memory", "iflush returned 3"},
    {"dma-buf-descriptor", "dma-buf", "isend returned 2"},
    {"uncounted-cache", "register-meanwhile", "isend returned 4"},
    {"oversize", "oversize", "outside its receive"},
    {"no-ndevs", "properties", "vProps.ndevs is not set"},
    {"virtual-number", "virtual-devices", "the number of a real one"},
    {"blocking-connect", "self-connection", "connect or accept blocked"},
    {"blocking-accept", "accept-before-connect", "accept blocked while nobody"},
    {"device-handle", "self-connection", "crashed"},
    {"listener-owns", "closing-orders", "irecv failed"},
    {"slow-close", "close-in-flight", "closeRecv blocked"},
    {"endless-close", "peer-freezes", "in closeSend"},
    {"leaked-file", "load-and-unload", "files stay open"},
    {"leaked-memory", "load-and-unload", "bytes leak"},
    {"thread-left", "load-and-unload", "a thread lives on"},
    {"stays-mapped", "load-and-unload", "still mapped after dlclose"},
    {"finalize-all", "communicators", "listen returned 3"},
    {"old-logger", "two-nccls", "a logger that was gone"},
};

// A case is killed after eight of these; the one that hangs for certain need not wait long for it.
constexpr std::chrono::milliseconds kPatience{1500}, kForHang{500};

std::chrono::milliseconds patienceFor(const Planted& planted) {
  return std::string(planted.defect) == "endless-close" ? kForHang : kPatience;
}

std::string plugins() { return std::string(getenv("POLYRAIL_BUILD")) + "/test/plugins"; }

const NetCase& caseNamed(const std::string& name) {
  for (const NetCase* one : allNetCases())
    if (one->name == name) return *one;
  abort();
}

}  // namespace

std::span<const Planted> plantedDefects() { return kPlanted; }

std::string referenceNet() { return plugins() + "/reference_net.so"; }

CaseResult runPlanted(const Planted& planted) {
  std::string folder = (fs::temp_directory_path() / "planted-net-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return {CaseVerdict::kSkipped, "no folder for the copy", ""};
  const std::string copy = folder + "/" + planted.defect + ".so";
  fs::copy_file(plugins() + "/planted_net.so", copy);
  const CaseResult result =
      runCase(caseNamed(planted.foundBy), {.plugin = copy, .share = 4, .patience = patienceFor(planted)});
  fs::remove_all(folder);
  return result;
}

}  // namespace polyrail::contract
