// Answers of the initiator's put together by hand: whole, cut, and lying.
#include "iscsi/windows/initiator_answers.h"

#include <catch2/catch.hpp>

#include "tests/support/windows/pointed_bytes.h"

namespace longshore::iscsi {
namespace {

using test::PointedBytes;
using Names = std::vector<std::string>;
using Portals = std::vector<Portal>;

constexpr const char* kOneTarget = "iqn.2001-04.org.example:a";

template <size_t size>
void put_units(char16_t (&array)[size], std::u16string_view text) {
  std::copy(text.begin(), text.end(), array);
}

// Two sessions, of which the first has two connections; the last bytes belong to a text.
struct Sessions {
  Sessions() {
    first = bytes.add(SessionInfo{});
    second = bytes.add(SessionInfo{});
    connections = bytes.add(ConnectionInfo{});
    bytes.add(ConnectionInfo{});
    info.session = {7, 1};
    info.target_node_name = info.target_name = bytes.add(u"iqn.2001-04.org.example:a");
    info.connection_count = 2;
    info.connections = connections;
    connection.target_address = bytes.add(u"192.0.2.1");
    connection.target_socket = 3260;
    bytes.put(connections, connection);
    ConnectionInfo other = connection;
    other.target_address = bytes.add(u"[2001:DB8::1]");
    bytes.put(connections + sizeof(other), other);
    SessionInfo lost{};
    lost.target_name = bytes.add(u"lost");
    bytes.put(second, lost);
    bytes.put(first, info);
  }
  auto read(uint64_t count = 2) {
    bytes.put(first, info);
    bytes.put(connections, connection);
    return sessions_of(bytes.answer(), count);
  }

  PointedBytes bytes;
  uint64_t first, second, connections;
  SessionInfo info{};
  ConnectionInfo connection{};
};

TEST_CASE("sessions are read with what they point at") {
  const auto sessions = Sessions().read();
  REQUIRE(sessions);
  REQUIRE(sessions->size() == 2);
  CHECK(sessions->at(0).id == InitiatorId{7, 1});
  CHECK(sessions->at(0).target_names == Names{kOneTarget, kOneTarget});
  CHECK(sessions->at(0).portals == Portals{{"192.0.2.1", 3260}, {"2001:db8::1", 3260}});
  CHECK(sessions->at(1).target_names == Names{"", "lost"});
  CHECK(sessions->at(1).portals.empty());
}

TEST_CASE("sessions that are cut anywhere are none") {
  Sessions sessions;
  for (size_t size = 0; size < sessions.bytes.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(sessions_of(sessions.bytes.answer(size), 2));
  }
}

TEST_CASE("a session that points out of its answer is not followed") {
  Sessions sessions;
  SECTION("a name elsewhere") { sessions.info.target_node_name = 0x10000; }
  SECTION("a name behind its end") { sessions.info.target_name = sessions.bytes.end(); }
  SECTION("a name at the end of all memory") { sessions.info.target_name = UINT64_MAX - 1; }
  SECTION("a name between two characters") { ++sessions.info.target_name; }
  SECTION("connections elsewhere") { sessions.info.connections -= 0x10000; }
  SECTION("connections at no address") { sessions.info.connections = 0; }
  SECTION("connections that are not aligned") { sessions.info.connections += 4; }
  SECTION("more connections than there is room for") {
    sessions.info.connection_count = 0xffffffff;
  }
  SECTION("connections that end behind it") {
    sessions.info.connections = (sessions.bytes.end() - 40) / 8 * 8;
  }
  SECTION("an address elsewhere") { sessions.connection.target_address = 0x10000; }
  CHECK_FALSE(sessions.read());
}

TEST_CASE("sessions cannot all have the same connections, nor count more than there are") {
  PointedBytes bytes;
  SessionInfo info{};
  info.connections = PointedBytes::kAddress;
  info.connection_count = 100;
  for (int i = 0; i < 100; ++i) bytes.add(info);
  CHECK_FALSE(sessions_of(bytes.answer(), 100));
  for (const uint64_t lie : {101u, 1'000'000u, 0xffffffffu}) {
    CHECK_FALSE(sessions_of(bytes.answer(), lie));
  }
}

TEST_CASE("a name that is longer than any is no name") {
  PointedBytes bytes;
  const uint64_t session = bytes.add(SessionInfo{});
  SessionInfo info{};
  info.target_name = bytes.add(std::u16string(2000, u'x').c_str());
  bytes.put(session, info);
  CHECK_FALSE(sessions_of(bytes.answer(), 1));
}

TEST_CASE("portals are read of both structures, each once, without what is none") {
  PointedBytes infos, portals;
  const auto add = [&](std::u16string_view address, uint16_t port) {
    TargetPortalInfo info{};
    put_units(info.address, address);
    info.socket = port;
    infos.add(info);
    TargetPortal portal{};
    put_units(portal.address, address);
    portal.socket = port;
    portals.add(portal);
  };
  add(u"192.0.2.1", 1);
  add(u"..", 2);
  add(u"[2001:DB8::1]", 3);
  add(u"", 4);
  add(u"192.0.2.1", 1);
  add(std::u16string(256, u'a'), 5);  // no zero
  const Portals wanted = {{"192.0.2.1", 1}, {"2001:db8::1", 3}};
  CHECK(portals_of_infos(infos.plain(), 6) == wanted);
  CHECK(portals_of(portals.plain(), 6) == wanted);
  CHECK(portals_of_infos(infos.plain(), 0) == Portals{});
  for (const uint64_t lie : {uint64_t{7}, uint64_t{0xffffffff}}) {
    CHECK_FALSE(portals_of_infos(infos.plain(), lie));
    CHECK_FALSE(portals_of(portals.plain(), lie));
  }
  CHECK_FALSE(portals_of_infos(infos.plain(infos.size() - 1), 6));
  CHECK_FALSE(portals_of(portals.plain(portals.size() - 1), 6));
}

std::optional<Names> names_in(std::u16string_view units, uint64_t count) {
  PointedBytes bytes;
  for (const char16_t unit : units) bytes.add(unit);
  return target_names_of(bytes.plain(), count);
}

TEST_CASE("names of targets are read to their last zero, without what is none") {
  using namespace std::string_view_literals;
  const auto list =
      u"iqn.2001-04.org.example:a\0no name\0iqn.2001-04.org.example:$(x)\0eui.0123456789abcdef\0"
      u"iqn.2001-04.org.example:a\0\0behind"sv;
  const Names wanted = {kOneTarget, "eui.0123456789abcdef"};
  CHECK(names_in(list, list.size()) == wanted);
  CHECK(names_in(list, 0xffffffff) == wanted);
  // Without the zero that ends the list, and without the last name's.
  CHECK(names_in(list, list.size() - 7) == wanted);
  CHECK_FALSE(names_in(list, list.size() - 8));
  CHECK(names_in(list, 0) == Names{});
  CHECK(names_in(u"", 0xffffffff) == Names{});
  CHECK_FALSE(names_in(u"x", 0xffffffff));
}

TEST_CASE("the disks of a session are its devices that are disks, each once") {
  PointedBytes bytes;
  constexpr uint32_t kTape = 0x1f;
  const auto add = [&](uint32_t type, uint32_t number) {
    DeviceOnSession device{};
    device.number = {type, number, 0};
    bytes.add(device);
  };
  add(support::kDiskDeviceType, 4);
  add(support::kDiskDeviceType, 0xffffffff);
  add(kTape, 6);
  add(support::kDiskDeviceType, 4);
  add(support::kDiskDeviceType, 5);
  CHECK(disks_of(bytes.plain(), 5) == std::vector<uint32_t>{4, 5});
  CHECK_FALSE(disks_of(bytes.plain(), 6));
  CHECK_FALSE(disks_of(bytes.plain(), 0xffffffff));
  CHECK_FALSE(disks_of(bytes.plain(bytes.size() - 1), 5));
}

}  // namespace
}  // namespace longshore::iscsi
