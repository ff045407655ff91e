// What the attacher reads of a PersistentVolume.
//
// Threads: any; values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/kube/object_metadata.hpp"
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

  kubernetes::ObjectMetadata metadata;
  std::optional<Csi> csi;  // nothing: it is of no CSI driver
  bool is_block = false;   // volumeMode
  std::vector<std::string> mount_options;
  std::vector<std::string> access_modes;

  bool operator==(const PersistentVolume&) const = default;
};

// FAILED_PRECONDITION: it is none.
Result<PersistentVolume> parse_persistent_volume(std::string_view json);

}  // namespace longshore::external_attacher
