#include "patch.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/bounded_text.h"

namespace longshore::external_attacher {
namespace {

namespace json = boost::json;

// Of attachError.message and detachError.message, in bytes: the server refuses a longer one, and
// then nobody would see any of it.
constexpr size_t kMostMessageBytes = 1024;

std::string path_of(const VolumeAttachment& attachment) {
  return "/apis/storage.k8s.io/v1/volumeattachments/" + attachment.metadata.name;
}

std::string path_of(const PersistentVolume& volume) {
  return "/api/v1/persistentvolumes/" + volume.metadata.name;
}

json::object operation(std::string_view op, const std::string& path, json::value value) {
  return {{"op", json::string(op.data(), op.size())}, {"path", path}, {"value", std::move(value)}};
}

// Servers leave out a list or map that is empty, so there is none where it has nothing in it. A
// member that is not there is null for their test.
void append_created(json::array& patch, const std::string& path, json::value value) {
  patch.push_back(operation("test", path, nullptr));
  patch.push_back(operation("add", path, std::move(value)));
}

// Where the list is another one by now, the finalizer may be in it: by a write of ours whose answer
// was lost. It would be there twice then.
void append_added_finalizer(json::array& patch, const std::vector<std::string>& finalizers,
                            const std::string& finalizer) {
  const std::string path = "/metadata/finalizers";
  if (finalizers.empty()) {
    append_created(patch, path, json::array{json::value(finalizer)});
  } else {
    patch.push_back(operation("test", path, json::array(finalizers.begin(), finalizers.end())));
    patch.push_back(operation("add", path + "/-", json::value(finalizer)));
  }
}

std::string without_finalizer(const std::vector<std::string>& finalizers,
                              const std::string& finalizer) {
  const auto found = std::ranges::find(finalizers, finalizer);
  const std::string path = "/metadata/finalizers/" + std::to_string(found - finalizers.begin());
  return json::serialize(json::array{operation("test", path, json::value(finalizer)),
                                     json::object{{"op", "remove"}, {"path", path}}});
}

// As a part of a path: '/' ends a part, and '~' begins what stands for one of the two.
std::string escaped(std::string_view name) {
  std::string part;
  for (const char each : name) {
    if (each == '~') {
      part += "~0";
    } else if (each == '/') {
      part += "~1";
    } else {
      part += each;
    }
  }
  return part;
}

Patch status_patch(const VolumeAttachment& attachment, json::object status) {
  return {path_of(attachment) + "/status", Patch::Type::kMerge,
          json::serialize(json::object{{"status", std::move(status)}})};
}

// As Kubernetes writes a time: seconds of UTC.
std::string time_text(std::chrono::system_clock::time_point time) {
  using std::chrono::floor;
  const auto day = floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(floor<std::chrono::seconds>(time - day));
  const auto digits = [](int64_t number, size_t count) {
    std::string text = std::to_string(number);
    return text.size() < count ? std::string(count - text.size(), '0') + text : text;
  };
  return digits(static_cast<int>(date.year()), 4) + '-' +
         digits(static_cast<unsigned>(date.month()), 2) + '-' +
         digits(static_cast<unsigned>(date.day()), 2) + 'T' + digits(clock.hours().count(), 2) +
         ':' + digits(clock.minutes().count(), 2) + ':' + digits(clock.seconds().count(), 2) + 'Z';
}

}  // namespace

Patch added_finalizer(const PersistentVolume& volume, const std::string& finalizer) {
  json::array patch;
  append_added_finalizer(patch, volume.metadata.finalizers, finalizer);
  return {path_of(volume), Patch::Type::kJson, json::serialize(patch)};
}

Patch removed_finalizer(const PersistentVolume& volume, const std::string& finalizer) {
  return {path_of(volume), Patch::Type::kJson,
          without_finalizer(volume.metadata.finalizers, finalizer)};
}

Patch removed_finalizer(const VolumeAttachment& attachment, const std::string& finalizer) {
  return {path_of(attachment), Patch::Type::kJson,
          without_finalizer(attachment.metadata.finalizers, finalizer)};
}

std::optional<Patch> prepared_attachment(const VolumeAttachment& attachment,
                                         const std::string& finalizer, const std::string& node_id) {
  json::array patch;
  if (!attachment.metadata.has_finalizer(finalizer)) {
    append_added_finalizer(patch, attachment.metadata.finalizers, finalizer);
  }
  if (attachment.node_id != node_id) {
    const std::string annotations = "/metadata/annotations";
    if (attachment.has_annotations) {
      patch.push_back(
          operation("add", annotations + '/' + escaped(kNodeIdAnnotation), json::value(node_id)));
    } else {
      append_created(patch, annotations, json::object{{kNodeIdAnnotation, node_id}});
    }
  }
  if (patch.empty()) return std::nullopt;
  return Patch{path_of(attachment), Patch::Type::kJson, json::serialize(patch)};
}

Patch attached_status(const VolumeAttachment& attachment,
                      const std::map<std::string, std::string>& publish_context) {
  json::object status{{"attached", true}, {"attachError", nullptr}};
  if (publish_context.empty()) {
    status["attachmentMetadata"] = nullptr;
  } else {
    // A merge would keep what is there beside it.
    json::object metadata;
    for (const auto& [key, value] : attachment.attachment_metadata) metadata[key] = nullptr;
    for (const auto& [key, value] : publish_context) metadata[key] = value;
    status["attachmentMetadata"] = std::move(metadata);
  }
  return status_patch(attachment, std::move(status));
}

Patch detached_status(const VolumeAttachment& attachment) {
  return status_patch(
      attachment, {{"attached", false}, {"attachmentMetadata", nullptr}, {"detachError", nullptr}});
}

Patch failed_status(const VolumeAttachment& attachment, const Failure& failure) {
  json::object error{{"time", time_text(failure.time)},
                     {"message", plugins::bounded_text(failure.message, kMostMessageBytes)}};
  if (attachment.metadata.is_being_deleted) {
    return status_patch(attachment, {{"detachError", std::move(error)}});
  }
  // Null: a code of the failure before does not stay.
  error["errorCode"] = failure.driver_code ? json::value(static_cast<int32_t>(*failure.driver_code))
                                           : json::value(nullptr);
  return status_patch(attachment, {{"attachError", std::move(error)}});
}

}  // namespace longshore::external_attacher
