#include "router/found_fields.h"

#include "router/field_type.h"
#include "router/wire_reader.h"

namespace longshore::router {
namespace {

constexpr int kMaxDepth = 16;

class FieldFinder {
 public:
  explicit FieldFinder(size_t max_values) : max_values_(max_values) {}

  void read(const MessageSchema& schema, std::string_view bytes, int depth, FoundFields& found) {
    WireReader reader(bytes);
    while (!reader.at_end()) {
      const WireReader::Tag tag = reader.tag();
      const auto known = schema.fields.find(tag.field);
      const bool is_told =
          known != schema.fields.end() && !known->second.secret && is_known(known->second.type);
      if (is_told && tag.wire_type == wire_type_of(known->second.type)) {
        read_value(known->second, reader, depth, found[tag.field]);
      } else if (is_told && tag.wire_type == kSized && known->second.repeated) {
        read_packed(known->second, reader.sized(), found[tag.field]);
      } else {
        reader.skip(tag.wire_type);
      }
    }
    if (reader.failed()) is_whole = false;
  }

  bool is_whole = true;

 private:
  void read_value(const FieldSchema& field, WireReader& reader, int depth, FoundField& found) {
    const WireType wire_type = wire_type_of(field.type);
    FoundField::Value value;
    if (wire_type == kSized) {
      value.bytes = reader.sized();
    } else {
      value.number = reader.number(wire_type);
    }
    if (reader.failed()) return;
    if (field.type == kMessage && !field.repeated) return merge(field, value.bytes, depth, found);
    add(field, value, found);
  }

  void read_packed(const FieldSchema& field, std::string_view bytes, FoundField& found) {
    WireReader packed(bytes);
    while (!packed.at_end()) {
      const uint64_t number = packed.number(wire_type_of(field.type));
      if (!packed.failed()) add(field, {number, {}}, found);
    }
    if (packed.failed()) is_whole = false;
  }

  void add(const FieldSchema& field, const FoundField::Value& value, FoundField& found) {
    if (!field.repeated) found.values.clear();  // the last one counts
    if (found.values.size() < max_values_) {
      found.values.push_back(value);
    } else {
      is_whole = false;
    }
  }

  void merge(const FieldSchema& field, std::string_view piece, int depth, FoundField& found) {
    if (!found.merged) found.merged = std::make_unique<FoundFields>();
    if (depth >= kMaxDepth) {
      is_whole = false;
    } else if (field.message) {
      read(*field.message, piece, depth + 1, *found.merged);
    }
  }

  const size_t max_values_;
};

}  // namespace

bool find_fields(const MessageSchema& schema, std::string_view bytes, size_t max_values, int depth,
                 FoundFields& found) {
  FieldFinder finder(max_values);
  if (depth > kMaxDepth) return false;
  finder.read(schema, bytes, depth, found);
  return finder.is_whole;
}

}  // namespace longshore::router
