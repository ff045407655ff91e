#include "router/message_schema.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "observe/json_text.h"
#include "router/field_type.h"
#include "router/found_fields.h"

namespace longshore::router {

using observe::quoted;

namespace {

std::string float_text(double value) {
  if (!std::isfinite(value))
    return std::isnan(value) ? "\"NaN\"" : value < 0 ? "\"-Infinity\"" : "\"Infinity\"";
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof(digits), value).ptr};
}

// JSON's numbers are doubles to many readers, so that protobuf puts 64 bits into quotes.
std::string number_text(int type, uint64_t raw) {
  Digits digits;
  switch (type) {
    case kDouble:
      return float_text(std::bit_cast<double>(raw));
    case kFloat:
      return float_text(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(raw))));
    case kBool:
      return raw != 0 ? "true" : "false";
    case kUint32:
    case kFixed32:
    case kInt32:
    case kEnum:
    case kSfixed32:
    case kSint32:
      return std::string(integer_text(type, raw, digits));
    default:
      return quoted(integer_text(type, raw, digits));
  }
}

// Each `append` writes no further than to `end`: what fits, or nothing, and false.
class Writer {
 public:
  explicit Writer(size_t max_bytes) : max_bytes_(max_bytes) {}

  bool append(const MessageSchema& schema, std::string_view bytes, int depth, size_t end) {
    FoundFields found;
    told.is_whole &= find_fields(schema, bytes, max_bytes_, depth, found);
    return append(schema, found, depth, end);
  }

  RedactedJson told;

 private:
  std::string& json() { return told.json; }

  bool append(const MessageSchema& schema, const FoundFields& found, int depth, size_t end) {
    if (json().size() + 2 > end) return false;
    json() += '{';
    bool is_first = true;
    for (auto each = found.begin(); each != found.end(); ++each) {
      const size_t before = json().size();
      const FieldSchema& field = schema.fields.at(each->first);
      json() += (is_first ? "" : ",") + quoted(field.name) + ':';
      const size_t left = end - std::min(end, json().size() + 1);
      // None takes more than half of what is left, so that a caller hides nothing behind it.
      const bool is_last = std::next(each) == found.end();
      if (append(field, each->second, depth, json().size() + (is_last ? left : left / 2))) {
        is_first = false;
      } else {
        told.is_whole = false;
        json().resize(before);
      }
    }
    json() += '}';
    return true;
  }

  bool append(const FieldSchema& field, const FoundField& found, int depth, size_t end) {
    if (field.repeated) return append_list(field, found.values, depth, end);
    if (found.merged) {
      static const MessageSchema unknown;
      return append(field.message ? *field.message : unknown, *found.merged, depth + 1, end);
    }
    return !found.values.empty() && append(field, found.values.back(), depth, end);
  }

  bool append(const FieldSchema& field, const FoundField::Value& value, int depth, size_t end) {
    if (field.type == kMessage) {
      static const MessageSchema unknown;
      return append(field.message ? *field.message : unknown, value.bytes, depth + 1, end);
    }
    if (field.type == kString) return append_string(value.bytes, end);
    const std::string text = field.type == kBytes
                                 ? "\"(" + std::to_string(value.bytes.size()) + " bytes)\""
                                 : number_text(field.type, value.number);
    if (json().size() + text.size() > end) return false;
    json() += text;
    return true;
  }

  bool append_string(std::string_view text, size_t end) {
    const size_t room = end - json().size();
    if (room < 2) return false;
    size_t count = std::min(text.size(), room - 2);
    std::string escaped = quoted(text.substr(0, count));
    while (escaped.size() > room) {
      count = count * 7 / 8;
      escaped = quoted(text.substr(0, count));
    }
    if (count < text.size()) told.is_whole = false;
    json() += escaped;
    return true;
  }

  bool append_list(const FieldSchema& field, const std::vector<FoundField::Value>& values,
                   int depth, size_t end) {
    if (json().size() + 2 > end) return false;
    json() += '[';
    for (size_t i = 0; i < values.size(); ++i) {
      const size_t before = json().size();
      if (i > 0) json() += ',';
      if (json().size() < end && append(field, values[i], depth, end - 1)) continue;
      told.is_whole = false;
      json().resize(before);
      break;
    }
    json() += ']';
    return true;
  }

  const size_t max_bytes_;
};

}  // namespace

// Not by recursion: a module's messages may nest as deeply as it likes, and hold their own kind.
bool has_secrets(const MessageSchema& schema) {
  std::set<const MessageSchema*> seen{&schema};
  std::vector<const MessageSchema*> left{&schema};
  while (!left.empty()) {
    const MessageSchema& next = *left.back();
    left.pop_back();
    for (const auto& [number, field] : next.fields) {
      if (field.secret) return true;
      if (field.message && seen.insert(field.message).second) left.push_back(field.message);
    }
  }
  return false;
}

RedactedJson json_without_secrets(const MessageSchema& schema, std::string_view bytes,
                                  size_t max_bytes) {
  Writer writer(max_bytes);
  writer.append(schema, bytes, 0, max_bytes);
  return std::move(writer.told);
}

}  // namespace longshore::router
