// The fields of a module's messages, from the descriptors in its description.
#pragma once

#include <memory>

#include "longshore/module/descriptors.pb.h"
#include "router/message_schema.h"

namespace longshore::loader {

// Of all messages of these files, nested ones too. They point at each other and live together.
std::shared_ptr<const router::MessageSchemas> message_schemas_of(
    const module::descriptors::FileSet& files);

}  // namespace longshore::loader
