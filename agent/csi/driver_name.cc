#include "csi/driver_name.h"

#include "router/wire_reader.h"

namespace longshore::csi {

std::string driver_name_in(const std::string& response) {
  constexpr uint32_t kNameField = 1;
  std::string name;
  router::WireReader reader(response);
  while (!reader.at_end()) {
    const auto tag = reader.tag();
    if (tag.field == kNameField && tag.wire_type == router::kSized) {
      name = reader.sized();
    } else {
      reader.skip(tag.wire_type);
    }
  }
  return reader.failed() || name.size() > kMostDriverName ? std::string() : name;
}

}  // namespace longshore::csi
