// The module longshore-node: the groups that drivers call, with the backends for Windows, on a node
// that is made up; and node.v1.Node, by which a test sees and changes that node.
//
// One module for all of them, since the node is memory that they share.
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "disk/api_adapter.h"
#include "disk/disk_service.h"
#include "disk/windows/disk_backend_windows.h"
#include "filesystem/api_adapter.h"
#include "filesystem/filesystem_service.h"
#include "filesystem/windows/filesystem_backend_windows.h"
#include "longshore/module.hpp"
#include "module_description.h"
#include "node/v1.pb.h"
#include "smb/api_adapter.h"
#include "smb/smb_service.h"
#include "smb/windows/smb_backend_windows.h"
#include "system/api_adapter.h"
#include "system/system_service.h"
#include "system/windows/system_backend_windows.h"
#include "tests/drivers/windows/made_up_node.h"
#include "tests/drivers/windows/made_up_volume.h"
#include "volume/api_adapter.h"
#include "volume/volume_service.h"
#include "volume/windows/volume_backend_windows.h"

namespace longshore::test {
namespace {

// For the filesystem group, whose backend owns its layer.
class SharedFiles final : public support::FileSystemCalls {
 public:
  explicit SharedFiles(std::shared_ptr<support::FileSystemCalls> files)
      : files_(std::move(files)) {}

  Opened open_path(const std::wstring& path, LastName last, support::FileAccess access,
                   std::error_code& error) override {
    return files_->open_path(path, last, access, error);
  }
  std::vector<std::wstring> paths_of_volume(const std::wstring& volume,
                                            std::error_code& error) override {
    return files_->paths_of_volume(volume, error);
  }
  bool exists(const std::wstring& path, std::error_code& error) override {
    return files_->exists(path, error);
  }

 private:
  const std::shared_ptr<support::FileSystemCalls> files_;
};

support::AllowedRoots roots() { return *support::AllowedRoots::from({kNodeRoot}); }

// The groups as their own modules make them, on other layers.
struct Groups {
  Groups(MadeUpNode& node, const std::string& state_directory)
      : disk_backend(node.devices(), node.devices(), node.devices(), {}),
        volume_backend({node.devices(), node.devices(), *node.files(), node.devices()},
                       {.roots = roots(), .state_directory = state_directory}),
        filesystem_backend(std::make_unique<SharedFiles>(node.files()), roots()),
        smb_backend({.roots = roots(), .state_directory = state_directory}, node.mappings(),
                    node.files()) {}

  disk::DiskBackendWindows disk_backend;
  disk::DiskService disk_service{disk_backend};
  disk::ApiAdapter disk_versions{disk_service};
  volume::VolumeBackendWindows volume_backend;
  volume::VolumeService volume_service{roots(), volume_backend};
  volume::ApiAdapter volume_versions{volume_service};
  filesystem::FilesystemBackendWindows filesystem_backend;
  filesystem::FilesystemService filesystem_service{roots(), filesystem_backend};
  filesystem::ApiAdapter filesystem_versions{filesystem_service};
  smb::SmbBackendWindows smb_backend;
  smb::SmbService smb_service{roots(), smb_backend};
  smb::ApiAdapter smb_versions{smb_service};
  // Of this Windows: its serial number is looked at by nobody.
  system::SystemBackendWindows system_backend{system::native_service_control_manager(),
                                              system::native_firmware_table()};
  system::SystemService system_service{*system::AllowedServices::from({}), std::chrono::seconds(1),
                                       system_backend};
  system::V1alpha1 system_versions{system_service};
};

// What happens on the node beside the groups.
class NodeService {
 public:
  explicit NodeService(MadeUpNode& node) : node_(node) {}

  static void add_to(ServiceBuilder<NodeService> service) {
    service.unary("Reset", &NodeService::reset)
        .unary("GrowDisk", &NodeService::grow_disk)
        .unary("LoseDisk", &NodeService::lose_disk)
        .unary("IsMapped", &NodeService::is_mapped)
        .unary("Look", &NodeService::look)
        .unary("MakeDirectories", &NodeService::make_directories)
        .unary("Write", &NodeService::write)
        .unary("Remove", &NodeService::remove);
  }

 private:
  Result<node::v1::ResetResponse> reset(Context, const node::v1::ResetRequest&) {
    node_.reset();
    return node::v1::ResetResponse();
  }
  Result<node::v1::GrowDiskResponse> grow_disk(Context, const node::v1::GrowDiskRequest& request) {
    node_.grow_disk(request.bytes());
    return node::v1::GrowDiskResponse();
  }
  Result<node::v1::LoseDiskResponse> lose_disk(Context, const node::v1::LoseDiskRequest&) {
    node_.lose_disk();
    return node::v1::LoseDiskResponse();
  }
  Result<node::v1::IsMappedResponse> is_mapped(Context, const node::v1::IsMappedRequest&) {
    node::v1::IsMappedResponse response;
    response.set_is_mapped(node_.is_mapped());
    return response;
  }
  Result<node::v1::LookResponse> look(Context, const node::v1::LookRequest& request) {
    const MadeUpNode::Seen seen = node_.look(request.path());
    node::v1::LookResponse response;
    response.set_exists(seen.exists);
    response.set_is_link(seen.is_link);
    response.set_link_text(seen.link_text);
    response.set_is_mount_point(seen.is_mount_point);
    response.set_is_directory(seen.is_directory);
    response.set_is_empty(seen.is_empty);
    response.set_content(seen.content);
    response.set_filesystem_bytes(seen.filesystem_bytes);
    return response;
  }
  Result<node::v1::MakeDirectoriesResponse> make_directories(
      Context, const node::v1::MakeDirectoriesRequest& request) {
    node_.make_directories(request.path());
    return node::v1::MakeDirectoriesResponse();
  }
  Result<node::v1::WriteResponse> write(Context, const node::v1::WriteRequest& request) {
    node_.write(request.path(), request.content());
    return node::v1::WriteResponse();
  }
  Result<node::v1::RemoveResponse> remove(Context, const node::v1::RemoveRequest& request) {
    node::v1::RemoveResponse response;
    response.set_was_there(node_.remove(request.path()));
    return response;
  }

  MadeUpNode& node_;
};

class NodeModule final : public Module {
 public:
  Result<void> start(const Settings& settings, std::string_view) override {
    groups_.emplace(node_, settings.state_directory());
    const auto add_to = [this](auto& versions) {
      return [this, &versions](std::string name) { return add_service(std::move(name), versions); };
    };
    disk::ApiAdapter::add_to(add_to(groups_->disk_versions));
    volume::ApiAdapter::add_to(add_to(groups_->volume_versions));
    filesystem::ApiAdapter::add_to(add_to(groups_->filesystem_versions));
    smb::ApiAdapter::add_to(add_to(groups_->smb_versions));
    system::V1alpha1::add_to(add_service("v1alpha1.System", groups_->system_versions));
    NodeService::add_to(add_service("node.v1.Node", service_));
    return {};
  }

 private:
  MadeUpNode node_;
  NodeService service_{node_};
  std::optional<Groups> groups_;
};

}  // namespace
}  // namespace longshore::test

LONGSHORE_MODULE(longshore::test::NodeModule, "longshore-node", "0.1.0", "Longshore")
