// What the attacher reads of a PersistentVolume.
//
// Threads: any; values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/result.hpp"
#include "support/secret_data.h"

namespace longshore::external_attacher {

struct PersistentVolume {
  // spec.csi
  struct Csi {
    std::string volume_handle;
    bool read_only = false;
    std::string fs_type;
    std::map<std::string, std::string> volume_attributes;
    std::optional<plugins::SecretReference> controller_publish_secret;

    bool operator==(const Csi&) const = default;
  };

  std::string name;
  std::string resource_version;
  bool is_being_deleted = false;
  std::vector<std::string> finalizers;

  std::optional<Csi> csi;  // nothing: it is of no CSI driver
  bool is_block = false;   // volumeMode
  std::vector<std::string> mount_options;
  std::vector<std::string> access_modes;

  bool has_finalizer(std::string_view finalizer) const;
  bool operator==(const PersistentVolume&) const = default;
};

// FAILED_PRECONDITION: it is none.
Result<PersistentVolume> parse_persistent_volume(std::string_view json);

}  // namespace longshore::external_attacher
