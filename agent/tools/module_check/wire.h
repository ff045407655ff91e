// Numbers of protobuf's descriptors and of its encoding, which the router reads too.
#pragma once

#include "router/field_type.h"
#include "router/wire_reader.h"

namespace longshore::module_check {

using enum router::FieldType;
using enum router::WireType;
using router::kRepeated;
using router::wire_type_of;
using router::WireReader;
using router::WireType;

}  // namespace longshore::module_check
