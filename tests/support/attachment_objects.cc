#include "tests/support/attachment_objects.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <utility>

namespace longshore::test {
namespace {

namespace json = boost::json;

constexpr const char* kDriver = "test.csi.example";

json::object object(const char* api_version, const char* kind, const std::string& name,
                    json::object spec) {
  json::object made;
  made["apiVersion"] = api_version;
  made["kind"] = kind;
  made["metadata"] = json::object{{"name", name}};
  made["spec"] = std::move(spec);
  return made;
}

}  // namespace

json::object csi_node(const std::string& name, const std::string& id) {
  const json::object driver{{"name", kDriver}, {"nodeID", id}, {"topologyKeys", nullptr}};
  return object("storage.k8s.io/v1", "CSINode", name, {{"drivers", json::array{driver}}});
}

json::object persistent_volume(const std::string& name, const std::string& handle) {
  return object("v1", "PersistentVolume", name,
                {{"capacity", {{"storage", "1Gi"}}},
                 {"accessModes", json::array{"ReadWriteOnce"}},
                 {"csi", {{"driver", kDriver}, {"volumeHandle", handle}}}});
}

json::object volume_attachment(const std::string& name, const std::string& volume,
                               const std::string& node) {
  return object(
      "storage.k8s.io/v1", "VolumeAttachment", name,
      {{"attacher", kDriver}, {"nodeName", node}, {"source", {{"persistentVolumeName", volume}}}});
}

}  // namespace longshore::test
