// What external-attacher acts on: the objects of the driver "test.csi.example" as the kubelet, a
// provisioner and the attach/detach controller make them.
#pragma once

#include <boost/json/object.hpp>
#include <string>

namespace longshore::test {

inline const std::string kVolumes = "/api/v1/persistentvolumes";
inline const std::string kAttachments = "/apis/storage.k8s.io/v1/volumeattachments";
inline const std::string kNodes = "/apis/storage.k8s.io/v1/csinodes";

// The driver calls the node `id`.
boost::json::object csi_node(const std::string& name, const std::string& id);
boost::json::object persistent_volume(const std::string& name, const std::string& handle);
boost::json::object volume_attachment(const std::string& name, const std::string& volume,
                                      const std::string& node);

}  // namespace longshore::test
