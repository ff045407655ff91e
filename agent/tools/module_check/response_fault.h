// Whether what a module answers is a message of the type that it promises.
#pragma once

#include <string>
#include <string_view>

#include "longshore/module/descriptors.pb.h"

namespace longshore::module_check {

// What is wrong with the bytes; empty when they are such a message. Fields that the type does not
// have are allowed, as everywhere in protobuf.
std::string response_fault(std::string_view bytes, const module::descriptors::Message& type,
                           const module::descriptors::FileSet& files);

}  // namespace longshore::module_check
