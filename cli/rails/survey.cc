// SPDX-License-Identifier: Apache-2.0
#include "cli/rails/survey.h"

#include "net/device/distance.h"
#include "net/device/enumerate.h"
#include "net/device/siblings.h"
#include "net/verbs/load.h"
#include "net/verbs/mlx5.h"

namespace polyrail::cli {
namespace {

Result<net::Enumeration> look(const SysRoot& root, RailSurvey* survey) {
  if (!root.isLive()) {
    survey->library = "/sys";
    return net::enumerateRecorded(root, survey->settings.device);
  }
  Result<net::VerbsLibrary> library = net::loadVerbs(survey->settings.device.verbsLibrary);
  if (!library.ok()) return library.status();
  survey->library = library.value().name;
  // The library stays loaded: providers may have started threads.
  net::Mlx5 mlx5;
  if (net::hasMlx5Nics(root)) mlx5 = net::loadMlx5().mlx5;
  return net::enumerate(library.value().verbs, root, survey->settings.device, mlx5);
}

}  // namespace

Result<RailSurvey> surveyRails(const SysRoot& root) {
  RailSurvey survey;
  survey.settings = net::readNetSettings();
  Result<net::Enumeration> found = look(root, &survey);
  if (!found.ok()) return found.status();
  survey.found = std::move(found).value();
  const net::Locality locality = net::findLocality(survey.found.ports, root);
  survey.locality = locality.source;
  net::FusionPlan plan = net::planFusion(survey.found.ports, survey.settings.device, locality);
  survey.fused = std::move(plan.groups);
  survey.fusionProblems = std::move(plan.problems);
  const net::DataSettings& data = survey.settings.data;
  for (int port = 0; port < static_cast<int>(survey.found.ports.size()); port++)
    survey.siblings.push_back(net::siblingsOf({&port, 1}, survey.found.ports, locality,
                                              data.failover ? static_cast<size_t>(data.standby) : 0));
  if (root.isLive()) survey.limits = net::limitProblems(net::readProcessLimits(), survey.found.ports, {});
  return survey;
}

}  // namespace polyrail::cli
