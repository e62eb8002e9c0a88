// SPDX-License-Identifier: Apache-2.0
// A copy of the built tuner with a policy of its own, so that one process can hold several: the plugin reads its
// policy once per loaded library. Copies file and policy into a folder that goes with the object. One thread makes
// them (the environment is set); communicators may then be used from any.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "common/nccl/tuner_abi.h"
#include "common/policy/policy_file.h"
#include "test/contract/host/library.h"

namespace polyrail::test {

class TunerCopy {
 public:
  static constexpr char kFile[] = "libnccl-tuner-polyrail.so";

  explicit TunerCopy(const Policy& policy) : TunerCopy(std::string_view(writePolicy(policy))) {}
  explicit TunerCopy(std::string_view policyText) {
    std::string name = (std::filesystem::temp_directory_path() / "polyrail-tuner-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    std::ofstream(policyPath(), std::ios::binary) << policyText;
    std::filesystem::copy(built(), folder_);
    setenv("POLYRAIL_POLICY", policyPath().c_str(), 1);
    library_ = std::move(contract::Library::open((folder_ / kFile).string())).value();
  }
  TunerCopy(const TunerCopy&) = delete;
  TunerCopy& operator=(const TunerCopy&) = delete;
  ~TunerCopy() {
    library_->close();
    std::filesystem::remove_all(folder_);
  }

  const nccl::TunerV6& v6() const { return *library_->find<nccl::TunerV6>("ncclTunerPlugin_v6"); }
  const contract::Library& library() const { return *library_; }
  std::string policyPath() const { return (folder_ / "policy.json").string(); }
  // Of `ranks` on `nodes`; close it with v6().finalize.
  void* open(size_t ranks = 16, size_t nodes = 2, nccl::LogFunction log = nullptr) const {
    void* context = nullptr;
    v6().init(&context, 0, ranks, nodes, log, nullptr, nullptr);
    return context;
  }

 private:
  static std::filesystem::path built() {
    const char* build = std::getenv("POLYRAIL_BUILD");
    if (!build) throw std::runtime_error("POLYRAIL_BUILD must name the build folder; `make` sets it");
    return std::filesystem::path(build) / kFile;
  }

  std::filesystem::path folder_;
  std::optional<contract::Library> library_;
};

}  // namespace polyrail::test
