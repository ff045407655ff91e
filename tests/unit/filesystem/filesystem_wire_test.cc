// The bytes of every message of the filesystem group, from csi-proxy's tables of fields.
#include <catch2/catch.hpp>

#include "filesystem/v1.pb.h"
#include "filesystem/v1alpha1.pb.h"
#include "filesystem/v1beta1.pb.h"
#include "filesystem/v1beta2.pb.h"
#include "filesystem/v2alpha1.pb.h"
#include "tests/support/wire_writer.h"

namespace longshore::filesystem {
namespace {

using test::WireWriter;

// The messages of a version, for templates.
struct V1alpha1 {
  using PathExistsRequest = ::v1alpha1::PathExistsRequest;
  using PathExistsResponse = ::v1alpha1::PathExistsResponse;
  using MkdirRequest = ::v1alpha1::MkdirRequest;
  using MkdirResponse = ::v1alpha1::MkdirResponse;
  using RmdirRequest = ::v1alpha1::RmdirRequest;
  using RmdirResponse = ::v1alpha1::RmdirResponse;
  using LinkPathRequest = ::v1alpha1::LinkPathRequest;
  using LinkPathResponse = ::v1alpha1::LinkPathResponse;
  using IsMountPointRequest = ::v1alpha1::IsMountPointRequest;
  using IsMountPointResponse = ::v1alpha1::IsMountPointResponse;
  static constexpr auto kPlugin = ::v1alpha1::PLUGIN;
  static constexpr auto kPod = ::v1alpha1::POD;
};
struct V1beta1 {
  using PathExistsRequest = ::v1beta1::PathExistsRequest;
  using PathExistsResponse = ::v1beta1::PathExistsResponse;
  using MkdirRequest = ::v1beta1::MkdirRequest;
  using MkdirResponse = ::v1beta1::MkdirResponse;
  using RmdirRequest = ::v1beta1::RmdirRequest;
  using RmdirResponse = ::v1beta1::RmdirResponse;
  using LinkPathRequest = ::v1beta1::LinkPathRequest;
  using LinkPathResponse = ::v1beta1::LinkPathResponse;
  using IsMountPointRequest = ::v1beta1::IsMountPointRequest;
  using IsMountPointResponse = ::v1beta1::IsMountPointResponse;
  static constexpr auto kPlugin = ::v1beta1::PLUGIN;
  static constexpr auto kPod = ::v1beta1::POD;
};
struct V1beta2 {
  using PathExistsRequest = ::v1beta2::PathExistsRequest;
  using PathExistsResponse = ::v1beta2::PathExistsResponse;
  using MkdirRequest = ::v1beta2::MkdirRequest;
  using MkdirResponse = ::v1beta2::MkdirResponse;
  using RmdirRequest = ::v1beta2::RmdirRequest;
  using RmdirResponse = ::v1beta2::RmdirResponse;
  using CreateSymlinkRequest = ::v1beta2::CreateSymlinkRequest;
  using CreateSymlinkResponse = ::v1beta2::CreateSymlinkResponse;
  using IsSymlinkRequest = ::v1beta2::IsSymlinkRequest;
  using IsSymlinkResponse = ::v1beta2::IsSymlinkResponse;
};
struct V1 {
  using PathExistsRequest = ::v1::PathExistsRequest;
  using PathExistsResponse = ::v1::PathExistsResponse;
  using MkdirRequest = ::v1::MkdirRequest;
  using MkdirResponse = ::v1::MkdirResponse;
  using RmdirRequest = ::v1::RmdirRequest;
  using RmdirResponse = ::v1::RmdirResponse;
  using CreateSymlinkRequest = ::v1::CreateSymlinkRequest;
  using CreateSymlinkResponse = ::v1::CreateSymlinkResponse;
  using IsSymlinkRequest = ::v1::IsSymlinkRequest;
  using IsSymlinkResponse = ::v1::IsSymlinkResponse;
};
struct V2alpha1 {
  using PathExistsRequest = ::v2alpha1::PathExistsRequest;
  using PathExistsResponse = ::v2alpha1::PathExistsResponse;
  using MkdirRequest = ::v2alpha1::MkdirRequest;
  using MkdirResponse = ::v2alpha1::MkdirResponse;
  using RmdirRequest = ::v2alpha1::RmdirRequest;
  using RmdirResponse = ::v2alpha1::RmdirResponse;
  using CreateSymlinkRequest = ::v2alpha1::CreateSymlinkRequest;
  using CreateSymlinkResponse = ::v2alpha1::CreateSymlinkResponse;
  using IsSymlinkRequest = ::v2alpha1::IsSymlinkRequest;
  using IsSymlinkResponse = ::v2alpha1::IsSymlinkResponse;
};

template <typename Message>
Message read(const std::string& bytes) {
  Message message;
  REQUIRE(message.ParseFromString(bytes));
  return message;
}

template <typename Message>
void check_empty() {
  CHECK(Message().SerializeAsString().empty());
  CHECK(read<Message>("").SerializeAsString().empty());
}

// A message of one text field.
template <typename Message>
void check_path_only() {
  const std::string bytes = WireWriter().text(1, "/p");
  Message message;
  message.set_path("/p");
  CHECK(message.SerializeAsString() == bytes);
  CHECK(read<Message>(bytes).path() == "/p");
}

template <typename Message>
void check_error_only() {
  const std::string bytes = WireWriter().text(1, "e");
  Message message;
  message.set_error("e");
  CHECK(message.SerializeAsString() == bytes);
  CHECK(read<Message>(bytes).error() == "e");
}

template <typename Message>
void check_link() {
  const std::string bytes = WireWriter().text(1, "/source").text(2, "/target");
  Message message;
  message.set_source_path("/source");
  message.set_target_path("/target");
  CHECK(message.SerializeAsString() == bytes);
  CHECK(read<Message>(bytes).source_path() == "/source");
  CHECK(read<Message>(bytes).target_path() == "/target");
}

template <typename Message, typename Context>
void check_path_and_context(Context pod) {
  const std::string bytes = WireWriter().text(1, "/p").number(2, 1);
  Message message;
  message.set_path("/p");
  message.set_context(pod);
  CHECK(message.SerializeAsString() == bytes);
  CHECK(read<Message>(bytes).path() == "/p");
  CHECK(read<Message>(bytes).context() == pod);
  // An open enum: a number nobody knows is kept.
  CHECK(static_cast<int>(read<Message>(WireWriter().number(2, 7)).context()) == 7);
}

TEMPLATE_TEST_CASE("v1alpha1 and v1beta1 have csi-proxy's bytes", "", V1alpha1, V1beta1) {
  CHECK(static_cast<int>(TestType::kPlugin) == 0);
  CHECK(static_cast<int>(TestType::kPod) == 1);
  check_path_and_context<typename TestType::PathExistsRequest>(TestType::kPod);
  check_path_and_context<typename TestType::MkdirRequest>(TestType::kPod);
  check_path_and_context<typename TestType::RmdirRequest>(TestType::kPod);
  check_link<typename TestType::LinkPathRequest>();
  check_path_only<typename TestType::IsMountPointRequest>();
  check_error_only<typename TestType::PathExistsResponse>();
  check_error_only<typename TestType::MkdirResponse>();
  check_error_only<typename TestType::RmdirResponse>();
  check_error_only<typename TestType::LinkPathResponse>();
  check_error_only<typename TestType::IsMountPointResponse>();

  typename TestType::PathExistsResponse exists;
  exists.set_exists(true);
  CHECK(exists.SerializeAsString() == WireWriter().number(2, 1).bytes());
  CHECK(read<typename TestType::PathExistsResponse>(WireWriter().number(2, 1)).exists());

  typename TestType::RmdirRequest rmdir;
  rmdir.set_path("/p");
  rmdir.set_force(true);
  CHECK(rmdir.SerializeAsString() == WireWriter().text(1, "/p").number(3, 1).bytes());
  CHECK(read<typename TestType::RmdirRequest>(WireWriter().number(3, 1)).force());

  typename TestType::IsMountPointResponse mount_point;
  mount_point.set_is_mount_point(true);
  CHECK(mount_point.SerializeAsString() == WireWriter().number(2, 1).bytes());
  CHECK(read<typename TestType::IsMountPointResponse>(WireWriter().number(2, 1)).is_mount_point());
}

TEMPLATE_TEST_CASE("v1beta2, v1 and v2alpha1 have csi-proxy's bytes", "", V1beta2, V1, V2alpha1) {
  check_path_only<typename TestType::PathExistsRequest>();
  check_path_only<typename TestType::MkdirRequest>();
  check_path_only<typename TestType::RmdirRequest>();
  check_path_only<typename TestType::IsSymlinkRequest>();
  check_link<typename TestType::CreateSymlinkRequest>();
  check_empty<typename TestType::MkdirResponse>();
  check_empty<typename TestType::RmdirResponse>();
  check_empty<typename TestType::CreateSymlinkResponse>();

  typename TestType::PathExistsResponse exists;
  exists.set_exists(true);
  CHECK(exists.SerializeAsString() == WireWriter().number(1, 1).bytes());
  CHECK(read<typename TestType::PathExistsResponse>(WireWriter().number(1, 1)).exists());

  typename TestType::RmdirRequest rmdir;
  rmdir.set_path("/p");
  rmdir.set_force(true);
  CHECK(rmdir.SerializeAsString() == WireWriter().text(1, "/p").number(2, 1).bytes());
  CHECK(read<typename TestType::RmdirRequest>(WireWriter().number(2, 1)).force());

  typename TestType::IsSymlinkResponse symlink;
  symlink.set_is_symlink(true);
  CHECK(symlink.SerializeAsString() == WireWriter().number(1, 1).bytes());
  CHECK(read<typename TestType::IsSymlinkResponse>(WireWriter().number(1, 1)).is_symlink());
}

TEST_CASE("v2alpha1 adds RmdirContents") {
  check_path_only<::v2alpha1::RmdirContentsRequest>();
  check_empty<::v2alpha1::RmdirContentsResponse>();
}

TEST_CASE("the writer itself writes what the wire format says") {
  CHECK(WireWriter().number(1, 1).bytes() == std::string("\x08\x01"));
  CHECK(WireWriter().number(3, 300).bytes() == std::string("\x18\xac\x02"));
  CHECK(WireWriter().text(2, "testing").bytes() == std::string("\x12\x07testing"));
  CHECK(WireWriter().number(16, 0).bytes() == std::string("\x80\x01\x00", 3));
}

}  // namespace
}  // namespace longshore::filesystem
