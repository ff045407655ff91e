#include "persistent_volume.h"

#include <utility>

#include "longshore/kube/json_fields.hpp"

namespace longshore::external_attacher {

using kubernetes::JsonDocument;
using kubernetes::JsonFields;

namespace {

PersistentVolume::Csi read_csi(const JsonFields& fields) {
  PersistentVolume::Csi csi;
  csi.volume_handle = fields.required_text("volumeHandle");
  csi.read_only = fields.boolean("readOnly");
  csi.fs_type = fields.text("fsType");
  csi.volume_attributes = fields.text_map("volumeAttributes");
  const JsonFields secret = fields.object("controllerPublishSecretRef");
  if (secret.is_there()) {
    csi.controller_publish_secret = {.name = secret.required_text("name"),
                                     .name_space = secret.required_text("namespace")};
  }
  return csi;
}

}  // namespace

Result<PersistentVolume> parse_persistent_volume(std::string_view json) {
  JsonDocument document("PersistentVolume", json);
  PersistentVolume volume;
  volume.metadata = kubernetes::read_metadata(document);
  const JsonFields spec = document.root().object("spec");
  const JsonFields csi = spec.object("csi");
  if (csi.is_there()) volume.csi = read_csi(csi);
  volume.is_block = spec.text("volumeMode") == "Block";
  volume.mount_options = spec.texts("mountOptions");
  volume.access_modes = spec.texts("accessModes");
  if (auto checked = document.check(); !checked) return std::move(checked).error();
  return volume;
}

}  // namespace longshore::external_attacher
