#include "sidecars/known_flags.h"

#include <algorithm>

#include "config/schema.h"
#include "sidecars/command_line.h"
#include "sidecars/flag_value.h"
#include "sidecars/upstream_flags.h"

namespace longshore::sidecars {
namespace {

const OwnFlag* own_flag(std::string_view name) {
  const auto found = std::ranges::find(own_flags(), name, &OwnFlag::name);
  return found == own_flags().end() ? nullptr : &*found;
}

const config::OptionSchema* find_option(const config::ModuleSchema& schema, std::string_view flag) {
  const auto found = std::ranges::find_if(schema.options, [&](const config::OptionSchema& option) {
    return flag_name(option.name) == flag;
  });
  return found == schema.options.end() ? nullptr : &*found;
}

}  // namespace

std::optional<OwnedOption> KnownFlags::prefixed(std::string_view name) const {
  for (const auto& [controller, schema] : installed_.described) {
    if (!name.starts_with(controller + '-')) continue;
    if (const auto* option = find_option(schema, name.substr(controller.size() + 1))) {
      return OwnedOption{controller, option};
    }
  }
  return std::nullopt;
}

std::vector<OwnedOption> KnownFlags::unprefixed(std::string_view name) const {
  std::vector<OwnedOption> owners;
  for (const auto& [controller, schema] : installed_.described) {
    if (const auto* option = find_option(schema, name)) owners.push_back({controller, option});
  }
  return owners;
}

bool KnownFlags::is_known(std::string_view name) const {
  return own_flag(name) || prefixed(name) || !unprefixed(name).empty() ||
         find_flag(generic_flags(), name) || find_flag(historical_flags(), name);
}

bool KnownFlags::is_bool(std::string_view name) const {
  if (const OwnFlag* own = own_flag(name)) return own->is_bool;
  const auto is_bool_option = [](const OwnedOption& owned) {
    return owned.option->type == config::OptionType::kBool;
  };
  if (const auto owned = prefixed(name)) return is_bool_option(*owned);
  const std::vector<OwnedOption> owners = unprefixed(name);
  if (!owners.empty()) return std::ranges::all_of(owners, is_bool_option);
  for (const auto flags : {generic_flags(), historical_flags()}) {
    if (const UpstreamFlag* flag = find_flag(flags, name)) return flag->is_bool;
  }
  return false;
}

std::string KnownFlags::nearest_to(std::string_view name) const {
  std::vector<std::string> names;
  for (const OwnFlag& flag : own_flags()) names.push_back(flag.name);
  for (const UpstreamFlag& flag : generic_flags()) names.emplace_back(flag.name);
  for (const auto& [controller, schema] : installed_.described) {
    for (const config::OptionSchema& option : schema.options) {
      const std::string flag = flag_name(option.name);
      names.push_back(flag);
      names.push_back(controller + '-' + flag);
    }
  }
  return config::nearest(name, names);
}

}  // namespace longshore::sidecars
