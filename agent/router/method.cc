#include "router/method.h"

#include "router/wire_reader.h"

namespace longshore::router {

std::string_view find_object(std::string_view request, const Method& method, Digits& digits) {
  std::string_view object;
  if (method.object_field == 0) return object;
  const WireType wire_type = wire_type_of(method.object_type);
  WireReader reader(request);
  while (!reader.at_end()) {
    const WireReader::Tag tag = reader.tag();
    if (tag.field != method.object_field || tag.wire_type != wire_type) {
      reader.skip(tag.wire_type);
    } else if (wire_type == kSized) {
      object = reader.sized();
    } else {
      object = integer_text(method.object_type, reader.number(wire_type), digits);
    }
  }
  return object;
}

std::string object_of(std::string_view request, const Method& method) {
  Digits digits;
  return std::string(find_object(request, method, digits));
}

}  // namespace longshore::router
