#include "router/message_schema.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "observe/log_line.h"
#include "router/wire_reader.h"

namespace longshore::router {
namespace {

constexpr int kMaxDepth = 16;

// Of google.protobuf.FieldDescriptorProto.Type.
enum Type {
  kDouble = 1,
  kFloat = 2,
  kInt64 = 3,
  kUint64 = 4,
  kInt32 = 5,
  kFixed64 = 6,
  kFixed32 = 7,
  kBool = 8,
  kString = 9,
  kMessage = 11,
  kBytes = 12,
  kUint32 = 13,
  kEnum = 14,
  kSfixed32 = 15,
  kSfixed64 = 16,
  kSint32 = 17,
  kSint64 = 18
};

enum WireType : unsigned { kVarint = 0, kEightBytes = 1, kSized = 2, kFourBytes = 5 };

// How values of a type are written where they are not packed.
unsigned wire_type_of(int type) {
  switch (type) {
    case kDouble:
    case kFixed64:
    case kSfixed64:
      return kEightBytes;
    case kFloat:
    case kFixed32:
    case kSfixed32:
      return kFourBytes;
    case kString:
    case kMessage:
    case kBytes:
      return kSized;
    default:
      return kVarint;
  }
}

bool is_known(int type) { return type >= kDouble && type <= kSint64 && type != 10; }

std::string quoted(std::string_view text) {
  std::string json = "\"";
  observe::append_escaped(json, text, true);
  return json + '"';
}

std::string float_text(double value) {
  if (!std::isfinite(value))
    return std::isnan(value) ? "\"NaN\"" : value < 0 ? "\"-Infinity\"" : "\"Infinity\"";
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof(digits), value).ptr};
}

// JSON's numbers are doubles to many readers, so that protobuf puts 64 bits into quotes.
std::string number_text(int type, uint64_t raw) {
  const auto narrow = static_cast<uint32_t>(raw);
  switch (type) {
    case kDouble:
      return float_text(std::bit_cast<double>(raw));
    case kFloat:
      return float_text(static_cast<double>(std::bit_cast<float>(narrow)));
    case kBool:
      return raw != 0 ? "true" : "false";
    case kUint32:
    case kFixed32:
      return std::to_string(narrow);
    case kInt32:
    case kEnum:
    case kSfixed32:
      return std::to_string(static_cast<int32_t>(narrow));
    case kSint32:
      return std::to_string(static_cast<int32_t>((narrow >> 1) ^ (~(narrow & 1) + 1)));
    case kSint64:
      return '"' + std::to_string(static_cast<int64_t>((raw >> 1) ^ (~(raw & 1) + 1))) + '"';
    case kUint64:
    case kFixed64:
      return '"' + std::to_string(raw) + '"';
    default:
      return '"' + std::to_string(static_cast<int64_t>(raw)) + '"';
  }
}

uint64_t read_number(WireReader& reader, unsigned wire_type) {
  if (wire_type == kVarint) return reader.varint();
  return reader.fixed(wire_type == kEightBytes ? 8 : 4);
}

class Writer {
 public:
  explicit Writer(size_t max_bytes) : max_bytes_(max_bytes) {}

  // False: not to be written; see json_without_secrets.
  bool append(const MessageSchema& schema, std::string_view bytes, int depth) {
    if (depth > kMaxDepth) return false;
    std::map<uint32_t, Values> found;
    if (!collect(schema, bytes, found)) return false;
    json += '{';
    bool is_first = true;
    for (const auto& [number, values] : found) {
      if (!std::exchange(is_first, false)) json += ',';
      const FieldSchema& field = schema.fields.at(number);
      json += quoted(field.name) + ':';
      if (!append(field, values, depth)) return false;
    }
    json += '}';
    return json.size() <= max_bytes_;
  }

  std::string json;

 private:
  // What the wire has of a field, in its order; numbers as they are there.
  struct Values {
    std::vector<std::string> texts;
    std::vector<std::string_view> messages;
  };

  static bool collect(const MessageSchema& schema, std::string_view bytes,
                      std::map<uint32_t, Values>& found) {
    WireReader reader(bytes);
    while (!reader.at_end()) {
      const uint64_t tag = reader.varint();
      const auto wire_type = static_cast<unsigned>(tag & 7);
      const auto field = tag >> 3 > UINT32_MAX
                             ? schema.fields.end()
                             : schema.fields.find(static_cast<uint32_t>(tag >> 3));
      const bool is_wanted =
          field != schema.fields.end() && !field->second.secret && is_known(field->second.type);
      if (wire_type == kSized) {
        const std::string_view value = reader.take(reader.varint());
        if (is_wanted) add_sized(field->second, value, found[field->first]);
      } else if (wire_type == kVarint || wire_type == kEightBytes || wire_type == kFourBytes) {
        const uint64_t value = read_number(reader, wire_type);
        if (!is_wanted || wire_type_of(field->second.type) != wire_type) continue;
        found[field->first].texts.push_back(number_text(field->second.type, value));
      } else {
        reader.fail();  // groups, which no proto3 message has
      }
    }
    return !reader.failed();
  }

  static void add_sized(const FieldSchema& field, std::string_view value, Values& values) {
    switch (field.type) {
      case kString:
        return values.texts.push_back(quoted(value));
      case kBytes:
        return values.texts.push_back("\"(" + std::to_string(value.size()) + " bytes)\"");
      case kMessage:
        return values.messages.push_back(value);
      default:
        break;
    }
    WireReader packed(value);
    while (!packed.at_end()) {
      const uint64_t number = read_number(packed, wire_type_of(field.type));
      if (!packed.failed()) values.texts.push_back(number_text(field.type, number));
    }
  }

  bool append(const FieldSchema& field, const Values& values, int depth) {
    if (field.type == kMessage) return append_messages(field, values.messages, depth);
    if (!field.repeated) {
      json += values.texts.empty() ? "null" : values.texts.back();  // the last one counts
      return json.size() <= max_bytes_;
    }
    json += '[';
    for (size_t i = 0; i < values.texts.size(); ++i) {
      if (i > 0) json += ',';
      json += values.texts[i];
      if (json.size() > max_bytes_) return false;
    }
    json += ']';
    return true;
  }

  bool append_messages(const FieldSchema& field, const std::vector<std::string_view>& messages,
                       int depth) {
    static const MessageSchema unknown;
    const MessageSchema& schema = field.message ? *field.message : unknown;
    if (!field.repeated) {  // pieces of one message are merged, which is to read them on end
      std::string whole;
      for (const std::string_view piece : messages) whole += piece;
      return append(schema, whole, depth + 1);
    }
    json += '[';
    for (size_t i = 0; i < messages.size(); ++i) {
      if (i > 0) json += ',';
      if (!append(schema, messages[i], depth + 1)) return false;
    }
    json += ']';
    return true;
  }

  const size_t max_bytes_;
};

}  // namespace

std::string json_without_secrets(const MessageSchema& schema, std::string_view bytes,
                                 size_t max_bytes) {
  if (bytes.size() > max_bytes) return {};  // nor is it worth the memory
  Writer writer(max_bytes);
  return writer.append(schema, bytes, 0) ? std::move(writer.json) : std::string();
}

}  // namespace longshore::router
