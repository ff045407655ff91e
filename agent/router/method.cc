#include "router/method.h"

#include <charconv>

#include "router/wire_reader.h"

namespace longshore::router {
std::string_view find_object(std::string_view request, uint32_t field, ObjectDigits& digits) {
  std::string_view object;
  if (field == 0) return object;
  WireReader reader(request);
  while (!reader.at_end()) {
    const uint64_t tag = reader.varint();
    const bool wanted = tag >> 3 == field;
    switch (tag & 7) {
      case 0: {
        const uint64_t value = reader.varint();
        if (!wanted) break;
        const char* const end =
            std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
        object = {digits.data(), static_cast<size_t>(end - digits.data())};
        break;
      }
      case 1:
        reader.take(8);
        break;
      case 2: {
        const std::string_view value = reader.take(reader.varint());
        if (wanted) object = value;
        break;
      }
      case 5:
        reader.take(4);
        break;
      default:
        reader.fail();
    }
  }
  return object;
}

std::string object_of(std::string_view request, uint32_t field) {
  ObjectDigits digits;
  return std::string(find_object(request, field, digits));
}

}  // namespace longshore::router
