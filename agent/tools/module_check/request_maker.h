// Requests for the methods of a module that nobody here has heard of: valid ones by the descriptors
// that it carries, and ones that no parser takes.
#pragma once

#include <string>
#include <vector>

#include "longshore/module/descriptors.pb.h"
#include "tools/module_check/random.h"

namespace longshore::module_check {

class RequestMaker {
 public:
  explicit RequestMaker(const module::descriptors::FileSet& files) : files_(files) {}

  // A message of this type that every parser takes. Its values are odd, but of their types.
  std::string valid(const module::descriptors::Message* type, Random& random) const;

  // A valid message that was cut somewhere: parsers may still take it.
  std::string cut(const module::descriptors::Message* type, Random& random) const;

 private:
  void add_message(std::string& bytes, const module::descriptors::Message& type, Random& random,
                   int depth) const;
  void add_field(std::string& bytes, const module::descriptors::Field& field, Random& random,
                 int depth) const;

  const module::descriptors::FileSet& files_;
};

// Bytes that are no protobuf message of any type, each in another way.
const std::vector<std::string>& no_messages();

}  // namespace longshore::module_check
