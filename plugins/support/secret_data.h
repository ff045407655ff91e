// What a Secret of Kubernetes' holds, for a driver.
//
// Threads: any; plain functions.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "longshore/result.hpp"
#include "longshore/secret.hpp"

namespace longshore::plugins {

struct SecretReference {
  std::string name;
  std::string name_space;

  bool operator==(const SecretReference&) const = default;
};

// Where the API server has it. INVALID_ARGUMENT: the reference has names that would lead elsewhere.
Result<std::string> secret_path(const SecretReference& reference);

// The bytes of `data`, from the object's JSON. What is parsed is wiped; `json` is the caller's to
// wipe. FAILED_PRECONDITION: it is no such object; the text has nothing of its values.
Result<std::map<std::string, Secret>> parse_secret_data(std::string_view json);

}  // namespace longshore::plugins
