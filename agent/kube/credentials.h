// As whom requests are made: what their Authorization header is.
//
// A token in a file is read for each request, since it is replaced before it expires.
//
// Threads: one. Owner: the client.
#pragma once

#include <string>

#include "kube/changing_file.h"
#include "kube/configuration.h"
#include "longshore/result.hpp"
#include "longshore/secret.hpp"

namespace longshore::kube {

class Credentials {
 public:
  // Takes them out of it.
  explicit Credentials(Configuration& configuration);

  // The value of the header; empty: none is sent.
  Result<Secret> authorization();

  // Where they come from, for the sentence of a server that does not know them.
  const std::string& origin() const { return origin_; }

 private:
  Secret fixed_;             // the header, or
  ChangingFile token_file_;  // whose path is empty where there is none
  std::string origin_;
};

}  // namespace longshore::kube
