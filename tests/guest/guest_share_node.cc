#include "tests/guest/guest_share_node.h"

#include <filesystem>
#include <iostream>

#include "smb/v1.pb.h"
#include "tests/guest/mounted_shares.h"
#include "tests/support/require.h"

namespace longshore::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "pvc-0a1b2c3d";

std::string share() { return std::string("\\\\127.0.0.1\\share\\") + kFolder; }

}  // namespace

// Without what no driver of shares calls: each module costs time when an agent starts.
GuestShareNode::GuestShareNode()
    : agent_({.settings = "enabled = false\n", .disk = "enabled = false\n"}) {}

GuestShareNode::~GuestShareNode() {
  try {
    remove_mapping();
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
  }
}

// A life that failed may have left anything, and some drivers keep the mapping.
void GuestShareNode::begin() {
  remove_mapping();
  const fs::path folder = fs::path(FileServer::kDirectory) / kFolder;
  fs::remove_all(folder);
  fs::create_directory(folder);
  fs::permissions(folder, fs::perms::all);
}

VolumeContext GuestShareNode::volume() const {
  return {.share = share(),
          // The domain is what these drivers add.
          .username = std::string("AZURE\\") + FileServer::kUser,
          .password = FileServer::kFirstPassword,
          .mappings = agent_.mappings()};
}

bool GuestShareNode::is_mapped() const { return !mounted_shares().empty(); }

void GuestShareNode::remove_mapping() {
  for (const auto& entry : fs::directory_iterator(root())) fs::remove_all(entry);
  v1::RemoveSmbGlobalMappingRequest request;
  request.set_remote_path(share());
  const auto answer = agent_.call("smb", "v1.Smb/RemoveSmbGlobalMapping", request);
  require(answer->code() == StatusCode::kOk, answer->text());
}

Nodes share_nodes() {
  return {.usual = [] { return std::make_unique<GuestShareNode>(); }};
}

}  // namespace longshore::test
