// The bytes of every message of the system group, from csi-proxy's tables of fields.
#include <catch2/catch.hpp>

#include "system/v1alpha1.pb.h"
#include "tests/support/wire_writer.h"

namespace longshore::system {
namespace {

using test::WireWriter;

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

template <typename Message>
void check_name_only() {
  const std::string bytes = WireWriter().text(1, "iscsid");
  Message message;
  message.set_name("iscsid");
  CHECK(message.SerializeAsString() == bytes);
  CHECK(read<Message>(bytes).name() == "iscsid");
}

TEST_CASE("v1alpha1 has csi-proxy's bytes") {
  check_empty<::v1alpha1::GetBIOSSerialNumberRequest>();
  check_empty<::v1alpha1::StartServiceResponse>();
  check_empty<::v1alpha1::StopServiceResponse>();
  check_name_only<::v1alpha1::StartServiceRequest>();
  check_name_only<::v1alpha1::StopServiceRequest>();
  check_name_only<::v1alpha1::GetServiceRequest>();

  const std::string serial = WireWriter().text(1, "SN-1");
  ::v1alpha1::GetBIOSSerialNumberResponse bios;
  bios.set_serial_number("SN-1");
  CHECK(bios.SerializeAsString() == serial);
  CHECK(read<::v1alpha1::GetBIOSSerialNumberResponse>(serial).serial_number() == "SN-1");

  const std::string stop_bytes = WireWriter().text(1, "a").number(2, 1);
  ::v1alpha1::StopServiceRequest stop;
  stop.set_name("a");
  stop.set_force(true);
  CHECK(stop.SerializeAsString() == stop_bytes);
  CHECK(read<::v1alpha1::StopServiceRequest>(stop_bytes).force());

  const std::string service_bytes = WireWriter().text(1, "The a").number(2, 3).number(3, 4);
  ::v1alpha1::GetServiceResponse service;
  service.set_display_name("The a");
  service.set_start_type(::v1alpha1::MANUAL);
  service.set_status(::v1alpha1::RUNNING);
  CHECK(service.SerializeAsString() == service_bytes);
  const auto parsed = read<::v1alpha1::GetServiceResponse>(service_bytes);
  CHECK(parsed.display_name() == "The a");
  CHECK(parsed.start_type() == ::v1alpha1::MANUAL);
  CHECK(parsed.status() == ::v1alpha1::RUNNING);
}

TEST_CASE("the enums have Win32's numbers") {
  CHECK(static_cast<int>(::v1alpha1::UNKNOWN) == 0);
  CHECK(static_cast<int>(::v1alpha1::STOPPED) == 1);
  CHECK(static_cast<int>(::v1alpha1::START_PENDING) == 2);
  CHECK(static_cast<int>(::v1alpha1::STOP_PENDING) == 3);
  CHECK(static_cast<int>(::v1alpha1::RUNNING) == 4);
  CHECK(static_cast<int>(::v1alpha1::CONTINUE_PENDING) == 5);
  CHECK(static_cast<int>(::v1alpha1::PAUSE_PENDING) == 6);
  CHECK(static_cast<int>(::v1alpha1::PAUSED) == 7);
  CHECK(static_cast<int>(::v1alpha1::BOOT) == 0);
  CHECK(static_cast<int>(::v1alpha1::SYSTEM) == 1);
  CHECK(static_cast<int>(::v1alpha1::AUTOMATIC) == 2);
  CHECK(static_cast<int>(::v1alpha1::MANUAL) == 3);
  CHECK(static_cast<int>(::v1alpha1::DISABLED) == 4);
}

}  // namespace
}  // namespace longshore::system
