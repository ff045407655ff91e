#include "kube/field_mask.h"

#include <cstddef>

#include "kube/raw_json.h"

namespace longshore::kube {
namespace {

// Each event looks for its members in them.
constexpr size_t kMostFields = 50;
constexpr size_t kMostFieldBytes = 200;

constexpr std::string_view kMetadata = "metadata";

bool has_empty_part(std::string_view field) {
  return field.empty() || field.front() == '.' || field.back() == '.' ||
         field.find("..") != field.npos;
}

}  // namespace

Result<FieldMask> FieldMask::make(const std::vector<std::string>& fields) {
  const auto refused = [](const std::string& field, const std::string& why) {
    return Error(StatusCode::kInvalidArgument, "take the field", field).because(why);
  };
  FieldMask mask;
  for (const std::string& field : fields) {
    if (field.size() > kMostFieldBytes) {
      return refused(field.substr(0, kMostFieldBytes),
                     "it has more than " + std::to_string(kMostFieldBytes) + " bytes");
    }
    if (has_empty_part(field)) {
      return refused(field, "a part of it is empty").advise("write it as spec.csi");
    }
    mask.fields_.insert(field);
    if (mask.fields_.size() > kMostFields) {
      return refused(field, "there are more than " + std::to_string(kMostFields));
    }
  }
  return mask;
}

std::string FieldMask::masked(const std::string& object) const {
  if (fields_.empty()) return object;
  std::string text;
  append(text, object, {});
  return text;
}

bool FieldMask::has_whole(std::string_view path) const {
  if (fields_.contains(path) || path == "apiVersion" || path == "kind") return true;
  const bool is_of_metadata = path.starts_with(kMetadata) && path.find('.') == kMetadata.size() &&
                              path.find('.', kMetadata.size() + 1) == path.npos;
  return is_of_metadata && path != "metadata.annotations" && path != "metadata.labels";
}

bool FieldMask::has_below(const std::string& path) const {
  if (path == kMetadata) return true;
  const std::string prefix = path + '.';
  const auto next = fields_.lower_bound(prefix);
  return next != fields_.end() && next->starts_with(prefix);
}

void FieldMask::append(std::string& text, std::string_view object, const std::string& path) const {
  text += '{';
  for (const JsonMember& member : json_members(object)) {
    std::string below = path;
    if (!below.empty()) below += '.';
    below += member.name;
    const bool is_whole = has_whole(below);
    if (!is_whole && !has_below(below)) continue;
    append_member_name(text, member.name);
    if (is_whole || !member.value.starts_with('{')) {
      text += member.value;
    } else {
      append(text, member.value, below);
    }
  }
  text += '}';
}

}  // namespace longshore::kube
