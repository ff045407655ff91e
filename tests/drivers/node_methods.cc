#include "tests/drivers/node_methods.h"

#include <algorithm>
#include <variant>

#include "tests/support/node_path.h"
#include "tests/support/require.h"

namespace longshore::test {
namespace {

DriverNode& begun(DriverNode& node) {
  node.begin();
  return node;
}

}  // namespace

VolumeContext volume_of(DriverNode& node) {
  VolumeContext volume = node.volume();
  volume.staging =
      node_path(node.root() + "/plugins/kubernetes.io/csi/driver/0a1b2c3d/globalmount");
  volume.driver_folder = node_path(node.root() + "/driver");
  volume.files = &node.files();
  volume.wanted_bytes = node.bytes();
  return volume;
}

std::string target_of_pod(const DriverNode& node, const std::string& pod) {
  return node_path(node.root() + "/pods/" + pod + "/volumes/kubernetes.io~csi/pvc-1/mount");
}

NodeMethods::NodeMethods(const Driver& driver, DriverNode& node)
    : driver_(driver), volume_(volume_of(begun(node))), caller_(driver, node, {}) {
  volume_.target = target_of_pod(node, "only");
  const MethodEnd started = run(driver_.start);
  require(started.is_success, "the start: " + started.failure);
}

MethodEnd NodeMethods::stage() {
  volume_.files->make_directories(volume_.staging);
  if (driver_.connects_anew) caller_.leave_silent_connection("disk");
  return run(driver_.stage);
}

MethodEnd NodeMethods::publish() {
  volume_.files->make_directories(parent_of(volume_.target));
  return run(driver_.publish);
}

MethodEnd NodeMethods::expand(int64_t wanted_bytes) {
  volume_.wanted_bytes = wanted_bytes;
  return run(driver_.expand);
}

MethodEnd NodeMethods::unpublish() { return run(driver_.unpublish); }

MethodEnd NodeMethods::unstage() { return run(driver_.unstage); }

bool NodeMethods::has_called(Method method) const {
  return std::ranges::any_of(reached_, [&](const Row* row) {
    const auto* call = std::get_if<Call>(&row->what);
    return call != nullptr && call->method == method;
  });
}

}  // namespace longshore::test
