// Whether who asks may do something, by the API server's word: a SelfSubjectAccessReview, which
// everybody may make, and of which the server keeps nothing.
//
// Threads: any; values.
#pragma once

#include <string>
#include <string_view>

#include "kube/request.h"
#include "kube/resource_path.h"
#include "longshore/result.hpp"

namespace longshore::kube {

// Of all objects, in all namespaces unless the path names one.
Request access_review(std::string_view verb, const ResourcePath& resource);

struct Access {
  bool is_allowed = false;
  std::string reason;  // if the server says one, as that a binding's role does not exist
};

// Of an answer's body.
Result<Access> parse_access(std::string_view body);

}  // namespace longshore::kube
