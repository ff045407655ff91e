// The bytes of every message of the smb group, from csi-proxy's tables of fields.
#include <catch2/catch.hpp>

#include "smb/v1.pb.h"
#include "smb/v1alpha1.pb.h"
#include "smb/v1beta1.pb.h"
#include "smb/v1beta2.pb.h"
#include "tests/support/wire_writer.h"

namespace longshore::smb {
namespace {

using test::WireWriter;

template <typename Message>
Message read(const std::string& bytes) {
  Message message;
  REQUIRE(message.ParseFromString(bytes));
  return message;
}

template <typename New, typename Remove>
void check_requests() {
  const std::string new_bytes = WireWriter()
                                    .text(1, "\\\\files\\share")
                                    .text(2, "/var/lib/kubelet/x")
                                    .text(3, "domain\\user")
                                    .text(4, "secret");
  New request;
  request.set_remote_path("\\\\files\\share");
  request.set_local_path("/var/lib/kubelet/x");
  request.set_username("domain\\user");
  request.set_password("secret");
  CHECK(request.SerializeAsString() == new_bytes);
  const New parsed = read<New>(new_bytes);
  CHECK(parsed.remote_path() == "\\\\files\\share");
  CHECK(parsed.local_path() == "/var/lib/kubelet/x");
  CHECK(parsed.username() == "domain\\user");
  CHECK(parsed.password() == "secret");

  const std::string remove_bytes = WireWriter().text(1, "//files/share");
  Remove remove;
  remove.set_remote_path("//files/share");
  CHECK(remove.SerializeAsString() == remove_bytes);
  CHECK(read<Remove>(remove_bytes).remote_path() == "//files/share");
}

template <typename Message>
void check_empty() {
  CHECK(Message().SerializeAsString().empty());
  CHECK(read<Message>("").SerializeAsString().empty());
}

template <typename Message>
void check_error() {
  check_empty<Message>();
  const std::string bytes = WireWriter().text(1, "why");
  Message message;
  message.set_error("why");
  CHECK(message.SerializeAsString() == bytes);
  CHECK(read<Message>(bytes).error() == "why");
}

TEST_CASE("the requests of every version have csi-proxy's bytes") {
  check_requests<::v1alpha1::NewSmbGlobalMappingRequest,
                 ::v1alpha1::RemoveSmbGlobalMappingRequest>();
  check_requests<::v1beta1::NewSmbGlobalMappingRequest, ::v1beta1::RemoveSmbGlobalMappingRequest>();
  check_requests<::v1beta2::NewSmbGlobalMappingRequest, ::v1beta2::RemoveSmbGlobalMappingRequest>();
  check_requests<::v1::NewSmbGlobalMappingRequest, ::v1::RemoveSmbGlobalMappingRequest>();
}

TEST_CASE("the responses of every version have csi-proxy's bytes") {
  check_error<::v1alpha1::NewSmbGlobalMappingResponse>();
  check_error<::v1alpha1::RemoveSmbGlobalMappingResponse>();
  check_error<::v1beta1::NewSmbGlobalMappingResponse>();
  check_error<::v1beta1::RemoveSmbGlobalMappingResponse>();
  check_empty<::v1beta2::NewSmbGlobalMappingResponse>();
  check_empty<::v1beta2::RemoveSmbGlobalMappingResponse>();
  check_empty<::v1::NewSmbGlobalMappingResponse>();
  check_empty<::v1::RemoveSmbGlobalMappingResponse>();
}

}  // namespace
}  // namespace longshore::smb
