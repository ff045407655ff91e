// Whether versions of a service are the same on the wire, by the descriptors that its module
// carries. For modules that serve several versions with one set of handlers.
#pragma once

#include <string>
#include <vector>

#include "longshore/module/v1.pb.h"

namespace longshore::test {

// What goes wrong when calls of `service` get the handlers that `handled_as` has for methods of the
// same names; nothing when each request has the same fields, by number and type, and no answer has
// a field that the service's clients do not know. "v1.Disk/Rescan: ..."
std::vector<std::string> differences_on_wire(const module::v1::Description& description,
                                             const std::string& service,
                                             const std::string& handled_as);

}  // namespace longshore::test
