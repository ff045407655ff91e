// The audit log of an API server: what each user has asked for, and how it was answered.
//
// Threads: any; values.
#pragma once

#include <string>
#include <vector>

namespace longshore::test {

struct KubeRequestMade {
  std::string verb;      // "patch"
  std::string resource;  // "volumeattachments/status"
  int status = 0;        // HTTP's
};

// Those of a user, in the order in which they ended: a watch that goes on is not among them. A line
// that a killed server has not finished is none.
std::vector<KubeRequestMade> audited_requests(const std::string& log, const std::string& user);

}  // namespace longshore::test
