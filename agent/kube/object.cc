#include "kube/object.h"

#include <utility>

#include "kube/raw_json.h"

namespace longshore::kube {
namespace {

constexpr std::string_view kList = "List";

Error no_object(const std::string& what) {
  return Error::of_text(StatusCode::kDataLoss, "what the server sent is " + what);
}

std::string text_of(const std::vector<JsonMember>& members, std::string_view name) {
  return json_string(json_member(members, name)).value_or(std::string());
}

// What items of a list have in common, as JSON; empty: nothing.
struct ItemType {
  std::string kind;
  std::string_view api_version;
};

void append_type(std::string& text, std::string_view name, std::string_view value) {
  append_member_name(text, name);
  text += value;
}

// Servers leave the kind out of the items of most lists; an object is to be the same whatever
// way it came.
Result<Object> object_of(std::string_view text, const ItemType& type) {
  const std::vector<JsonMember> members = json_members(text);
  const std::vector<JsonMember> metadata = json_members(json_member(members, "metadata"));
  const std::string name = text_of(metadata, "name");
  if (name.empty()) return no_object("no object: it has no name");
  const std::string name_space = text_of(metadata, "namespace");
  Object object{name_space.empty() ? name : name_space + '/' + name,
                text_of(metadata, "resourceVersion"), "{"};
  std::string& json = object.json;
  json.reserve(text.size() + 100);
  if (json_member(members, "kind").empty() && !type.kind.empty()) {
    append_type(json, "kind", type.kind);
    append_type(json, "apiVersion", type.api_version);
  }
  for (const JsonMember& member : members) {
    append_member_name(json, member.name);
    if (member.name != "metadata") {
      append_compact(json, member.value);
      continue;
    }
    json += '{';
    for (const JsonMember& part : metadata) {
      if (part.name == "managedFields") continue;
      append_member_name(json, part.name);
      append_compact(json, part.value);
    }
    json += '}';
  }
  json += '}';
  json.shrink_to_fit();  // it stays
  return object;
}

}  // namespace

Result<Object> parse_object(std::string_view text) {
  if (!is_json(text)) return no_object("no JSON");
  return object_of(text, {});
}

Result<ObjectPage> parse_object_page(std::string_view text) {
  if (!is_json(text)) return no_object("no JSON");
  const std::vector<JsonMember> members = json_members(text);
  const std::string kind = text_of(members, "kind");
  if (!kind.ends_with(kList)) return no_object("no list");
  ItemType type;
  type.api_version = json_member(members, "apiVersion");
  // "List" is a list of anything.
  if (kind != kList && !type.api_version.empty()) {
    type.kind = '"' + kind.substr(0, kind.size() - kList.size()) + '"';
  }
  const std::vector<JsonMember> metadata = json_members(json_member(members, "metadata"));
  ObjectPage page{text_of(metadata, "resourceVersion"), text_of(metadata, "continue"), {}};
  if (page.resource_version.empty()) return no_object("a list without a version");
  const std::vector<std::string_view> items = json_elements(json_member(members, "items"));
  page.objects.reserve(items.size());
  for (const std::string_view item : items) {
    Result<Object> object = object_of(item, type);
    if (!object) return std::move(object).error();
    page.objects.push_back(*std::move(object));
  }
  return page;
}

}  // namespace longshore::kube
