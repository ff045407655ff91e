// Any bytes as a module's description. What is accepted must hold together, since the agent serves
// by it.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "loader/description.h"
#include "module_description.h"
#include "tests/fuzz/patched.h"

namespace {

using longshore::loader::ModuleDescription;

void require(bool condition) {
  if (!condition) std::abort();
}

bool has_bad_character(const std::string& name) {
  return name.empty() || name.find_first_of(std::string("\0 /\n\"", 5)) != std::string::npos;
}

void check(const ModuleDescription& description) {
  require(!description.services.empty() || description.is_controller);
  const auto serves = [&](const std::string& service) {
    return std::count(description.services.begin(), description.services.end(), service) == 1;
  };
  for (const auto& service : description.services) require(!has_bad_character(service));
  for (const auto& method : description.methods) {
    require(serves(method.service) && !has_bad_character(method.name));
    require(method.full_name == method.service + "/" + method.name);
  }
  for (const auto& endpoint : description.csi_proxy_endpoints) {
    require(serves(endpoint.service) && !has_bad_character(endpoint.group) &&
            !has_bad_character(endpoint.version));
  }
  for (const auto& option : description.options) require(!has_bad_character(option.name()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::span<const uint8_t> rest(data + 1, size - 1);
  std::string bytes(rest.begin(), rest.end());
  if ((data[0] & 1) != 0) {
    bytes = longshore::fuzz::patched({reinterpret_cast<const char*>(longshore_module_description),
                                      static_cast<size_t>(longshore_module_description_size)},
                                     rest);
  }
  const auto description = longshore::loader::parse_description(bytes);
  if (description) {
    check(*description);
  } else {
    require(!description.error().message().empty());
  }
  return 0;
}
