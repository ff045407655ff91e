// What the attacher writes, as requests to the API server: patches alone, since that is all that
// its RBAC allows.
//
// Finalizers go by JSON Patch, with a test of what is about to change: whoever has changed it
// meanwhile makes the server answer 422, instead of being undone. A status goes by merge patch, and
// the last writer wins: nobody else writes it.
//
// Threads: any; plain functions.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "longshore/result.hpp"
#include "persistent_volume.h"
#include "volume_attachment.h"

namespace longshore::external_attacher {

struct Patch {
  enum class Type { kJson, kMerge };

  std::string path;  // of the API server
  Type type;
  std::string body;

  bool operator==(const Patch&) const = default;
};

// For an object that has no such finalizer.
Patch added_finalizer(const PersistentVolume& volume, const std::string& finalizer);
// For objects that have it.
Patch removed_finalizer(const PersistentVolume& volume, const std::string& finalizer);
Patch removed_finalizer(const VolumeAttachment& attachment, const std::string& finalizer);

// Finalizer and node id in one request; nothing where both are there.
std::optional<Patch> prepared_attachment(const VolumeAttachment& attachment,
                                         const std::string& finalizer, const std::string& node_id);

// status
Patch attached_status(const VolumeAttachment& attachment,
                      const std::map<std::string, std::string>& publish_context);
Patch detached_status(const VolumeAttachment& attachment);

// What went wrong, when. The text is cut to what the server takes.
struct Failure {
  std::string message;
  std::chrono::system_clock::time_point time;
  std::optional<StatusCode> driver_code;  // nothing: the driver was not called
};

// `attachError`, or `detachError` where it is being deleted, which has no code.
Patch failed_status(const VolumeAttachment& attachment, const Failure& failure);

}  // namespace longshore::external_attacher
