// What a module says of itself, as far as the fake host needs it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "longshore/abi.h"
#include "longshore/module/v1.pb.h"
#include "longshore/result.hpp"
#include "longshore/testing/options.hpp"

namespace longshore::testing {

class Description {
 public:
  // An error names what is wrong with the bytes.
  static Result<Description> read(const longshore_module_entry& entry);

  // Whether the module serves "acme.shelf.v1.Shelf/Get", and whether that is a server stream.
  bool has_method(std::string_view method) const { return methods_.contains(method); }
  bool is_stream(std::string_view method) const;

  // What `start` is given: the test's values, checked as the agent checks a configuration, and
  // defaults for the rest.
  Result<module::v1::Settings> settings(const StartOptions& options) const;

 private:
  Result<void> read_methods();

  module::v1::Description message_;
  std::map<std::string, bool, std::less<>> methods_;  // whether it is a server stream
};

}  // namespace longshore::testing
