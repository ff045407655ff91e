#include "longshore/kube/json_fields.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parser.hpp>
#include <boost/json/string.hpp>
#include <cstddef>
#include <utility>

namespace longshore::kubernetes {
namespace {

namespace json = boost::json;

// Far more than objects of Kubernetes' own have.
constexpr size_t kMostDepth = 100;

const char* name_of(json::kind kind) {
  switch (kind) {
    case json::kind::null:
      return "null";
    case json::kind::bool_:
      return "a boolean";
    case json::kind::string:
      return "a string";
    case json::kind::array:
      return "a list";
    case json::kind::object:
      return "an object";
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_:
      break;
  }
  return "a number";
}

std::string wrong_type(const std::string& path, const json::value& value, json::kind wanted) {
  return path + " is " + name_of(value.kind()) + ", not " + name_of(wanted);
}

}  // namespace

JsonDocument::JsonDocument(std::string kind, std::string_view text)
    : kind_(std::move(kind)), value_(&own_memory_) {
  parse(text, &own_memory_);
}

JsonDocument::JsonDocument(std::string kind, std::string_view text, json::storage_ptr memory)
    : kind_(std::move(kind)), value_(memory) {
  parse(text, memory);
}

void JsonDocument::parse(std::string_view text, const json::storage_ptr& memory) {
  json::parse_options options;
  options.max_depth = kMostDepth;
  json::parser parser(memory, options);
  parser.reset(memory);
  json::error_code error;
  parser.write(text.data(), text.size(), error);
  if (error) {
    complain("it is no JSON: " + error.message());
    return;
  }
  value_ = parser.release();
  if (!value_.is_object()) complain("it is " + std::string(name_of(value_.kind())));
}

JsonFields JsonDocument::root() { return {*this, value_.if_object(), {}}; }

std::string JsonDocument::read_name() {
  const JsonFields metadata = root().object("metadata");
  std::string name = metadata.required_text("name");
  const std::string name_space = metadata.text("namespace");
  named_ = name_space.empty() || name.empty() ? name : name_space + '/' + name;
  return name;
}

void JsonDocument::complain(const std::string& what) {
  if (!complaint_) complaint_ = what;
}

Result<void> JsonDocument::check() const {
  if (!complaint_) return {};
  return Error(StatusCode::kFailedPrecondition, "read the " + kind_, named_).because(*complaint_);
}

std::string JsonFields::path_of(std::string_view name) const {
  return path_.empty() ? std::string(name) : path_ + '.' + std::string(name);
}

const json::value* JsonFields::find(std::string_view name) const {
  if (!object_) return nullptr;
  const json::value* const value = object_->if_contains({name.data(), name.size()});
  return value && value->is_null() ? nullptr : value;
}

JsonFields JsonFields::object(std::string_view name) const {
  const std::string path = path_of(name);
  const json::value* const value = find(name);
  if (value && !value->is_object()) {
    document_->complain(wrong_type(path, *value, json::kind::object));
  }
  return {*document_, value ? value->if_object() : nullptr, path};
}

std::optional<std::string> JsonFields::text_of(const json::value& value,
                                               const std::string& path) const {
  const json::string* const text = value.if_string();
  if (text) return std::string(text->data(), text->size());
  document_->complain(wrong_type(path, value, json::kind::string));
  return std::nullopt;
}

std::string JsonFields::text(std::string_view name) const {
  const json::value* const value = find(name);
  return value ? text_of(*value, path_of(name)).value_or(std::string()) : std::string();
}

std::string JsonFields::required_text(std::string_view name) const {
  if (!find(name)) document_->complain(path_of(name) + " is missing");
  std::string value = text(name);
  if (value.empty()) document_->complain(path_of(name) + " is empty");
  return value;
}

bool JsonFields::boolean(std::string_view name) const {
  const json::value* const value = find(name);
  if (value && !value->is_bool()) {
    document_->complain(wrong_type(path_of(name), *value, json::kind::bool_));
  }
  return value && value->is_bool() && value->get_bool();
}

std::vector<std::string> JsonFields::texts(std::string_view name) const {
  std::vector<std::string> texts;
  const json::value* const value = find(name);
  if (!value) return texts;
  const std::string path = path_of(name);
  if (!value->is_array()) {
    document_->complain(wrong_type(path, *value, json::kind::array));
    return texts;
  }
  texts.reserve(value->get_array().size());
  for (const json::value& element : value->get_array()) {
    auto text = text_of(element, path + '[' + std::to_string(texts.size()) + ']');
    if (!text) return {};
    texts.push_back(*std::move(text));
  }
  return texts;
}

void JsonFields::each_text(
    std::string_view name,
    const std::function<void(std::string_view, std::string_view)>& take) const {
  const JsonFields members = object(name);
  if (!members.is_there()) return;
  for (const auto& member : *members.object_) {
    const json::string_view key = member.key();
    const json::string* const text = member.value().if_string();
    if (text) {
      take({key.data(), key.size()}, {text->data(), text->size()});
    } else {
      const std::string path = members.path_of({key.data(), key.size()});
      document_->complain(wrong_type(path, member.value(), json::kind::string));
    }
  }
}

std::map<std::string, std::string> JsonFields::text_map(std::string_view name) const {
  std::map<std::string, std::string> texts;
  each_text(name, [&](std::string_view key, std::string_view text) { texts.emplace(key, text); });
  return texts;
}

std::vector<JsonFields> JsonFields::objects(std::string_view name) const {
  std::vector<JsonFields> objects;
  const json::value* const value = find(name);
  if (!value) return objects;
  const std::string path = path_of(name);
  if (!value->is_array()) {
    document_->complain(wrong_type(path, *value, json::kind::array));
    return objects;
  }
  for (const json::value& element : value->get_array()) {
    std::string element_path = path + '[' + std::to_string(objects.size()) + ']';
    if (!element.is_object()) {
      document_->complain(wrong_type(element_path, element, json::kind::object));
      return {};
    }
    objects.emplace_back(*document_, element.if_object(), std::move(element_path));
  }
  return objects;
}

}  // namespace longshore::kubernetes
