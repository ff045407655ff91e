// Any bytes as the lines of a watch and as a page of a list: what is kept of an object is compact
// JSON without managedFields, and read again it is the same; a mask leaves it an object, and takes
// nothing away a second time.
#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <variant>

#include "kube/field_mask.h"
#include "kube/line_buffer.h"
#include "kube/object.h"
#include "kube/watch_event.h"

namespace {

using namespace longshore::kube;

void require(bool condition) {
  if (!condition) std::abort();
}

const FieldMask& mask() {
  static const FieldMask made = *FieldMask::make({"spec.csi", "metadata.annotations", "status"});
  return made;
}

void check(const Object& object) {
  boost::json::error_code error;
  boost::json::parse_options options;
  options.max_depth = 300;
  const boost::json::value value = boost::json::parse(object.json, error, {}, options);
  require(!error && value.is_object());
  const boost::json::value* const metadata = value.as_object().if_contains("metadata");
  require(metadata != nullptr && metadata->is_object());
  // No server writes names with escapes; so written they stay.
  require(object.json.find('\\') != std::string::npos ||
          !metadata->as_object().contains("managedFields"));
  const auto again = parse_object(object.json);
  require(again && *again == object);
  const std::string masked = mask().masked(object.json);
  const auto part = parse_object(masked);
  require(part && part->json.size() <= object.json.size() && mask().masked(masked) == masked);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  // However the bytes are cut, the lines are the same.
  LineBuffer whole;
  LineBuffer pieces;
  whole.append(text);
  size_t at = 0;
  for (;;) {
    const auto line = whole.take();
    auto same = pieces.take();
    while (!same && at < text.size()) {
      const size_t count = 1 + at % 7;
      pieces.append(std::string_view(text).substr(at, count));
      at = std::min(at + count, text.size());
      same = pieces.take();
    }
    require(line == same);
    const std::string rest = line ? *line : whole.take_rest();
    const auto event = parse_watch_event(rest);
    if (event) {
      const auto* const found = std::get_if<WatchEvent>(&*event);
      if (found && found->type != WatchEvent::Type::kBookmark) check(found->object);
    } else {
      require(!event.error().message().empty());
    }
    if (!line) break;
  }
  if (const auto page = parse_object_page(text)) {
    for (const Object& each : page->objects) check(each);
  }
  return 0;
}
