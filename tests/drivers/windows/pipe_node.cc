#include "tests/drivers/windows/pipe_node.h"

#include <stdexcept>
#include <utility>

#include "node/v1.pb.h"
#include "tests/drivers/windows/made_up_volume.h"
#include "tests/support/require.h"

namespace longshore::test {
namespace {

using node::v1::LookResponse;

template <typename Response, typename Request>
Response ask(TestClient& node, const std::string& method, const Request& request) {
  const auto answer = node.call("node.v1.Node/" + method, request.SerializeAsString());
  require(answer->code() == StatusCode::kOk, method + ": " + answer->text());
  Response response;
  require(response.ParseFromString(answer->messages.at(0)), "an answer of another kind");
  return response;
}

LookResponse look(TestClient& node, const std::string& path) {
  node::v1::LookRequest request;
  request.set_path(path);
  return ask<LookResponse>(node, "Look", request);
}

std::string node_pipe(const AgentFolder& folder) { return folder.pipe("node"); }

const AgentFolder& configured(const AgentFolder& folder) {
  folder.configure("[modules.node]\n[endpoints.node]\naddress = 'npipe://" + node_pipe(folder) +
                   "'\nservices = [\"node.v1.Node\"]\n");
  return folder;
}

std::string pipe_of_serving(const AgentProgram& agent, const AgentFolder& folder) {
  require(agent.serves(), "the agent does not start: " + folder.log());
  return node_pipe(folder);
}

Nodes nodes_with(bool has_growing_disk) {
  return {.usual = [agent = std::make_shared<PipeAgent>(), has_growing_disk] {
    return std::make_unique<PipeNode>(agent, has_growing_disk);
  }};
}

}  // namespace

bool PipeFiles::exists(const std::string& path) { return look(node_, path).exists(); }

std::optional<std::string> PipeFiles::link_text(const std::string& path) {
  const LookResponse seen = look(node_, path);
  return seen.is_link() ? std::optional(seen.link_text()) : std::nullopt;
}

bool PipeFiles::is_mount_point(const std::string& path) {
  return look(node_, path).is_mount_point();
}

bool PipeFiles::is_directory(const std::string& path) { return look(node_, path).is_directory(); }

bool PipeFiles::is_empty(const std::string& directory) { return look(node_, directory).is_empty(); }

std::string PipeFiles::read(const std::string& path) { return look(node_, path).content(); }

int64_t PipeFiles::filesystem_bytes(const std::string& path) {
  return static_cast<int64_t>(look(node_, path).filesystem_bytes());
}

void PipeFiles::make_directories(const std::string& path) {
  node::v1::MakeDirectoriesRequest request;
  request.set_path(path);
  ask<node::v1::MakeDirectoriesResponse>(node_, "MakeDirectories", request);
}

void PipeFiles::write(const std::string& path, const std::string& text) {
  node::v1::WriteRequest request;
  request.set_path(path);
  request.set_content(text);
  ask<node::v1::WriteResponse>(node_, "Write", request);
}

bool PipeFiles::remove(const std::string& path) {
  node::v1::RemoveRequest request;
  request.set_path(path);
  return ask<node::v1::RemoveResponse>(node_, "Remove", request).was_there();
}

PipeAgent::PipeAgent() : program(configured(folder)), node(pipe_of_serving(program, folder)) {}

PipeNode::PipeNode(std::shared_ptr<PipeAgent> agent, bool has_growing_disk)
    : agent_(std::move(agent)),
      has_growing_disk_(has_growing_disk),
      log_before_(agent_->folder.log().size()) {}

std::string PipeNode::root() const { return kNodeRoot; }

void PipeNode::kill_and_start_agent() {
  throw std::logic_error("what is made up would be gone with the agent");
}

void PipeNode::begin() {
  ask<node::v1::ResetResponse>(agent_->node, "Reset", node::v1::ResetRequest());
  bytes_ = kVolumeDiskBytes;
}

VolumeContext PipeNode::volume() const {
  return {.disk = {.number = kVolumeDisk,
                   .lun = std::to_string(kVolumeLun),
                   .page83 = kVolumePage83,
                   .serial = kVolumeSerial},
          .share = std::string(kShareRoot) + "\\" + kShareFolder,
          // The domain is what these drivers add.
          .username = std::string("AZURE\\") + kShareUser,
          .password = kSharePassword};
}

bool PipeNode::is_mapped() const {
  return ask<node::v1::IsMappedResponse>(agent_->node, "IsMapped", node::v1::IsMappedRequest())
      .is_mapped();
}

void PipeNode::grow(int64_t bytes) {
  bytes_ = bytes;
  node::v1::GrowDiskRequest request;
  request.set_bytes(static_cast<uint64_t>(bytes));
  ask<node::v1::GrowDiskResponse>(agent_->node, "GrowDisk", request);
}

void PipeNode::lose_disk() {
  ask<node::v1::LoseDiskResponse>(agent_->node, "LoseDisk", node::v1::LoseDiskRequest());
}

Nodes pipe_nodes_with_disk() { return nodes_with(/*has_growing_disk=*/true); }

Nodes pipe_nodes_with_share() { return nodes_with(/*has_growing_disk=*/false); }

}  // namespace longshore::test
