// An object of Kubernetes as the agent keeps it: compact JSON without managedFields, which are
// often most of it and which nobody here reads. A PUT without them leaves them to the server.
//
// Threads: any; values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::kube {

struct Object {
  std::string key;  // "namespace/name", or "name" where there are no namespaces
  std::string resource_version;
  std::string json;

  bool operator==(const Object&) const = default;
};

// Of an answer's body, or a part of it.
Result<Object> parse_object(std::string_view text);

// A page of a list.
struct ObjectPage {
  std::string resource_version;  // of the whole list
  std::string next;              // the token that the next page is asked for with; empty: the last
  std::vector<Object> objects;   // each with the kind that it would have by itself
};

Result<ObjectPage> parse_object_page(std::string_view text);

}  // namespace longshore::kube
