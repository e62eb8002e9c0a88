// SPDX-License-Identifier: Apache-2.0
// The tuner that ships, as these tests load it, and a policy in force while an object lives. The plugin reads its
// policy once per load, so a new one needs a new load; the environment is the process's, so one policy at a time.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "common/policy/policy.h"
#include "test/contract/host/tuner_host.h"

namespace polyrail::contract {

std::string tunerPlugin();

// A folder of its own below the system's temporary one, removed at the end.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string file(const std::string& name) const { return path_ / name; }
  std::string write(const std::string& name, const std::string& text) const;  // returns the file

 private:
  std::filesystem::path path_;
};

class PolicyInForce {
 public:
  explicit PolicyInForce(const Policy& policy);
  explicit PolicyInForce(const std::string& text);
  ~PolicyInForce();
  const std::string& path() const { return path_; }

 private:
  ScratchFolder folder_;
  std::string path_;
};

TunerHost loadTuner(const NcclRelease& release, nccl::LogFunction log, int newestAbi = 99);

std::string releaseName(const testing::TestParamInfo<NcclRelease>& info);

}  // namespace polyrail::contract
