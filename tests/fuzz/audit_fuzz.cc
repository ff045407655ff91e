// Any bytes as a request that the audit log tells: a line of JSON, in which nothing secret is.
#include <boost/json.hpp>
#include <cstdlib>
#include <string>

#include "loader/message_schemas.h"
#include "longshore/module/descriptors.pb.h"
#include "router/message_schema.h"

namespace {

using longshore::router::FieldSchema;
using longshore::router::MessageSchema;

constexpr size_t kMaxBytes = 4096;

void require(bool condition) {
  if (!condition) std::abort();
}

// A message with a field of each type, single and repeated, one secret of each, and itself.
const MessageSchema& every_type() {
  static const MessageSchema* schema = [] {
    auto* made = new MessageSchema;
    for (uint32_t type = 0; type <= 19; ++type) {
      const MessageSchema* self = type == 11 ? made : nullptr;
      const auto field = [&](const char* name, bool repeated, bool secret) {
        return FieldSchema{name + std::to_string(type), static_cast<int>(type), repeated, secret,
                           self};
      };
      made->fields.emplace(type + 1, field("one_", false, false));
      made->fields.emplace(type + 21, field("many_", true, false));
      made->fields.emplace(type + 41, field("secret_", type % 2 == 0, true));
    }
    return made;
  }();
  return *schema;
}

void check(const boost::json::value& value) {
  if (const auto* object = value.if_object()) {
    for (const auto& member : *object) {
      require(member.key().starts_with("one_") || member.key().starts_with("many_"));
      check(member.value());
    }
  } else if (const auto* array = value.if_array()) {
    for (const auto& item : *array) check(item);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  // Of the smaller of both sizes most is cut.
  for (const size_t max_bytes : {size_t{100}, kMaxBytes}) {
    const std::string json =
        longshore::router::json_without_secrets(every_type(), bytes, max_bytes).json;
    require(json.size() <= max_bytes);
    require(json.find('\n') == std::string::npos);
    boost::json::parse_options options;
    options.max_depth = 64;
    check(boost::json::parse(json, {}, options));
  }
  // The bytes as descriptors, too: what they describe tells the same bytes.
  longshore::module::descriptors::FileSet files;
  if (files.ParseFromString(bytes)) {
    const auto schemas = longshore::loader::message_schemas_of(files);
    for (const auto& [name, schema] : *schemas) {
      (void)longshore::router::json_without_secrets(schema, bytes, kMaxBytes);
    }
  }
  return 0;
}
