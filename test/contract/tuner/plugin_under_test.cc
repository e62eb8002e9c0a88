// SPDX-License-Identifier: Apache-2.0
#include "test/contract/tuner/plugin_under_test.h"

#include <stdlib.h>

#include <fstream>

#include "common/policy/policy_file.h"
#include "common/settings.h"

namespace polyrail::contract {

std::string tunerPlugin() { return std::string(getenv("POLYRAIL_BUILD")) + "/libnccl-tuner-polyrail.so"; }

ScratchFolder::ScratchFolder() {
  std::string name = std::filesystem::temp_directory_path() / "polyrail-contract-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) abort();
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ScratchFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream(file(name), std::ios::binary) << text;
  return file(name);
}

PolicyInForce::PolicyInForce(const Policy& policy) : PolicyInForce(writePolicy(policy)) {}

PolicyInForce::PolicyInForce(const std::string& text) : path_(folder_.write("policy.json", text)) {
  setenv(kSettingPolicy, path_.c_str(), 1);
}

PolicyInForce::~PolicyInForce() { unsetenv(kSettingPolicy); }

TunerHost loadTuner(const NcclRelease& release, nccl::LogFunction log, int newestAbi) {
  Result<TunerHost> host = TunerHost::load(tunerPlugin(), release, log, newestAbi);
  if (!host.ok()) throw std::runtime_error(host.message());
  return std::move(host).value();
}

std::string releaseName(const testing::TestParamInfo<NcclRelease>& info) {
  std::string name = info.param.name;
  name[1] = '_';
  return name;
}

}  // namespace polyrail::contract
