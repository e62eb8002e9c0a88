// SPDX-License-Identifier: Apache-2.0
#include "test/vgpu/suite/cluster.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace polyrail::vgpu {

namespace {

namespace fs = std::filesystem;

// The folder goes when the program ends.
struct Folder {
  Folder() {
    char name[] = "/tmp/vgpu-XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  std::string path;
};

std::string writeOnce(const std::string& text, const std::string& suffix) {
  const std::string path = ownFile(std::to_string(std::hash<std::string>{}(text)) + suffix);
  if (!fs::exists(path)) std::ofstream(path) << text;
  return path;
}

std::string hex(int value) {
  std::ostringstream out;
  out << std::hex << value;
  return out.str();
}

constexpr const char* kLink = R"( vendor="0x1" device="0x1" link_speed="32.0 GT/s PCIe" link_width="16")";

void gpu(std::ostream& out, const Cluster& cluster, int i) {
  out << "<pci busid=\"0000:" << hex(0x17 + i) << ":00.0\" class=\"0x030200\"" << kLink << "><gpu dev=\"" << i
      << "\" sm=\"" << cluster.capability << "\" rank=\"" << i << "\" gdr=\"" << cluster.gpuDirect << "\">";
  for (int other = 0; cluster.nvlinks && other < cluster.gpus; ++other) {
    if (other != i) {
      out << "<nvlink target=\"0000:" << hex(0x17 + other) << ":00.0\" count=\"6\" tclass=\"0x030200\"/>";
    }
  }
  out << "</gpu></pci>";
}

void nic(std::ostream& out, const Cluster& cluster, int i) {
  out << "<pci busid=\"0000:" << hex(0x60 + i) << ":00.0\" class=\"0x020700\"" << kLink << "><nic><net name=\""
      << railName(static_cast<size_t>(i)) << "\" dev=\"" << i << "\" port=\"1\" gdr=\"" << cluster.gpuDirect
      << "\"/></nic></pci>";
}

}  // namespace

std::string railName(size_t rail) { return "mlx5_" + std::to_string(rail); }

std::string railNames(const Cluster& cluster) {
  std::string names;
  for (size_t i = 0; i < cluster.rates.size(); ++i) names += (i ? "," : "") + railName(i);
  return names;
}

std::string ownFile(const std::string& name) {
  static const Folder folder;
  return folder.path + "/" + name;
}

std::string fabricFile(const Cluster& cluster) {
  std::ostringstream out;
  out << "{\"hosts\": [";
  for (int node = 0; node < cluster.nodes; ++node) {
    out << (node ? ",\n" : "\n") << " {\"name\": \"n" << node << "\", \"nics\": [";
    for (size_t rail = 0; rail < cluster.rates.size(); ++rail) {
      out << (rail ? ", " : "") << "{\"name\": \"" << railName(rail) << "\", \"address\": \"10.0." << rail << "."
          << node + 1 << "/24\", \"rate\": \"" << cluster.rates[rail] << "\", \"speed\": \"100Gb/s\"}";
    }
    out << "]}";
  }
  out << "]}\n";
  return writeOnce(out.str(), ".json");
}

// Each bridge has a GPU and a NIC, as far as there are as many.
std::string topologyFile(const Cluster& cluster) {
  const int nics = static_cast<int>(cluster.rates.size());
  std::ostringstream out;
  out << R"(<system version="1"><cpu numaid="0" affinity="0003" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="143">)";
  for (int i = 0; i < std::max(cluster.gpus, nics); ++i) {
    out << "\n<pci busid=\"0000:" << hex(0xa0 + i) << ":00.0\" class=\"0x060400\"" << kLink << ">";
    if (i < cluster.gpus) gpu(out, cluster, i);
    if (i < nics) nic(out, cluster, i);
    out << "</pci>";
  }
  out << "\n</cpu></system>\n";
  return writeOnce(out.str(), ".xml");
}

}  // namespace polyrail::vgpu
