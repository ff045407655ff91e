#include "system/windows/service_answers.h"

#include <utility>

#include "system/windows/service_structures.h"

namespace longshore::system {
namespace {

// A service's name has 256 characters at most. Many services may share a text in a lying answer,
// which would be read again for each of them.
constexpr size_t kMostNameUnits = 1024;

}  // namespace

std::optional<ServiceConfig> config_of(const support::PointedAnswer& answer) {
  const auto configs = answer.front<ServiceConfigAnswer>(1);
  if (!configs) return std::nullopt;
  const ServiceConfigAnswer& config = configs->front();
  if (config.display_name == 0) return ServiceConfig{config.start_type, {}};
  auto name = answer.text(config.display_name);
  if (!name) return std::nullopt;
  return ServiceConfig{config.start_type, *std::move(name)};
}

std::optional<std::vector<std::string>> active_services_of(const support::PointedAnswer& answer,
                                                           uint64_t count) {
  const auto services = answer.front<ServiceStatusAnswer>(count);
  if (!services) return std::nullopt;
  std::vector<std::string> names;
  for (const ServiceStatusAnswer& service : *services) {
    auto name = answer.text(service.name, kMostNameUnits);
    if (!name || name->empty()) return std::nullopt;
    if (service.state != kServiceIsStopped) names.push_back(*std::move(name));
  }
  return names;
}

}  // namespace longshore::system
