#include "kube/watch_event.h"

#include <charconv>
#include <string>
#include <utility>

#include "kube/raw_json.h"

namespace longshore::kube {
namespace {

using Parsed = std::variant<WatchEvent, Response>;

Error unreadable(const std::string& what) {
  return Error::of_text(StatusCode::kDataLoss, "the watch brought " + what);
}

std::optional<int> integer_of(std::string_view value) {
  int number = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (value.empty() || error != std::errc() || stop != end || number < 0) return std::nullopt;
  return number;
}

// A metav1.Status.
Response answer_of(std::string_view status) {
  const std::vector<JsonMember> members = json_members(status);
  Response answer;
  answer.status = integer_of(json_member(members, "code")).value_or(500);
  const auto details = json_members(json_member(members, "details"));
  if (const auto delay = integer_of(json_member(details, "retryAfterSeconds"));
      delay && *delay > 0) {
    answer.retry_after = std::chrono::seconds(*delay);
  }
  answer.body = status;
  return answer;
}

Result<Parsed> bookmark_of(std::string_view object) {
  const auto metadata = json_members(json_member(json_members(object), "metadata"));
  WatchEvent event{WatchEvent::Type::kBookmark, {}};
  event.object.resource_version =
      json_string(json_member(metadata, "resourceVersion")).value_or(std::string());
  if (event.object.resource_version.empty()) return unreadable("a bookmark without a version");
  return Parsed(std::move(event));
}

}  // namespace

Result<Parsed> parse_watch_event(std::string_view line) {
  if (!is_json(line)) return unreadable("what is no JSON");
  const std::vector<JsonMember> members = json_members(line);
  const std::string type = json_string(json_member(members, "type")).value_or(std::string());
  const std::string_view text = json_member(members, "object");
  if (type == "ERROR") return Parsed(answer_of(text));
  if (type == "BOOKMARK") return bookmark_of(text);
  const bool is_deleted = type == "DELETED";
  if (!is_deleted && type != "ADDED" && type != "MODIFIED") {
    return unreadable("an event of no known type");
  }
  Result<Object> object =
      text.empty() ? Result<Object>(unreadable("an event without an object")) : parse_object(text);
  if (!object) return std::move(object).error();
  if (object->resource_version.empty()) return unreadable("an object without a version");
  return Parsed(WatchEvent{is_deleted ? WatchEvent::Type::kDeleted : WatchEvent::Type::kChanged,
                           *std::move(object)});
}

}  // namespace longshore::kube
