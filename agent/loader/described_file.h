// A .proto file that a module carries the descriptors of, as reflection hands it out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longshore/module/descriptors.pb.h"

namespace longshore::loader {

class DescribedFile {
 public:
  explicit DescribedFile(const module::descriptors::File& file);

  const std::string name;
  const std::vector<std::string> dependencies;
  const std::string bytes;  // a serialised google.protobuf.FileDescriptorProto

  // Whether it has a service, method, message, field, enum or extension of that name.
  bool defines(std::string_view full_name) const;

 private:
  // Hashes of the names, sorted: a tenth of the memory of the names themselves, which `bytes` has.
  // Of what is asked for by chance, one in a hundred million billion names would be found wrongly.
  const std::vector<size_t> symbols_;
};

// "Disk" of the package "v1" is "v1.Disk".
std::string qualified(const std::string& scope, const std::string& name);

}  // namespace longshore::loader
