// The fields of the requests that a module takes, from the descriptors in its description.
#pragma once

#include <memory>

#include "longshore/module/descriptors.pb.h"
#include "router/message_schema.h"

namespace longshore::loader {

// Of the requests of these files' methods, and of what these may hold; nobody asks for more. They
// point at each other and live together.
std::shared_ptr<const router::MessageSchemas> message_schemas_of(
    const module::descriptors::FileSet& files);

}  // namespace longshore::loader
