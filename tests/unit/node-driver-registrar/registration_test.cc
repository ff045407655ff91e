// When a registration socket is made anew, and what is told of it.
#include "plugins/node-driver-registrar/registration.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <optional>
#include <string>

namespace longshore::node_driver_registrar {
namespace {

using namespace std::chrono_literals;

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

// A driver whose socket is there.
struct Opened {
  Opened() {
    registration.driver_is("disk.example.com");
    registration.socket_is_there();
    registration.take_alarm();
  }
  // The socket is made anew and is there.
  void open_again() {
    const uint64_t turn = registration.turn();
    registration.time_is_over();
    REQUIRE(registration.turn() == turn + 1);
    registration.socket_is_there();
    registration.take_alarm();
  }
  Registration registration{"/registration"};
};

}  // namespace

TEST_CASE("A driver's name has to be one of CSI's, and its socket's path short enough") {
  for (const std::string good : {"a", "1", "disk.example.com", "A-b.c", "a..b"}) {
    CHECK(check_driver_name(good));
  }
  CHECK(check_driver_name(std::string(63, 'a')));
  for (const std::string& bad :
       {std::string(), std::string(64, 'a'), std::string("a/b"), std::string("."),
        std::string("../a"), std::string("-a"), std::string("a."), std::string("a_b"),
        std::string("a\0b", 3), std::string("dis\xc3\xa4")}) {
    INFO(bad);
    Registration registration("/registration");
    registration.driver_is(bad);
    CHECK(registration.path().empty());
    CHECK(has(registration.trouble(), "its name is not one of CSI's"));
    CHECK(registration.health().status == 404);
  }
  CHECK(check_folder("/registration"));
  CHECK_FALSE(check_folder(""));
  CHECK_FALSE(check_folder("registration"));
  const std::string folder = '/' + std::string(95, 'x');
  REQUIRE(check_folder(folder));  // room for a name of one letter
  const auto refused = check_folder(folder + 'x');
  REQUIRE_FALSE(refused);
  CHECK(has(refused.error().message(), "its path has 108 bytes, and that of a socket 107 at most"));
  Registration registration(folder);
  registration.driver_is("ab");
  CHECK(registration.path().empty());
  CHECK(has(registration.trouble(), folder + "/ab-reg.sock\": its path has 108 bytes"));
  registration.driver_is("a");
  CHECK(registration.path() == folder + "/a-reg.sock");
  CHECK(registration.trouble().empty());
}

TEST_CASE("A driver that tells its name gets a socket, which is well until something is wrong") {
  Registration registration("/registration");
  CHECK(registration.health().status == 404);
  registration.driver_is_gone("nobody is there");
  CHECK(registration.trouble() == "nobody is there");
  CHECK(registration.health().text == "there is no registration socket: nobody is there");
  registration.driver_is("disk.example.com");
  CHECK(registration.path() == "/registration/disk.example.com-reg.sock");
  CHECK(registration.turn() == 1);
  CHECK(registration.health().status == 404);
  registration.socket_is_there();
  CHECK(registration.health().status == 200);
  CHECK(registration.take_alarm() == Registration::kPatience);
  CHECK_FALSE(registration.is_registered());
  registration.kubelet_says(true, "");
  CHECK(registration.is_registered());
  CHECK(registration.trouble().empty());
  // The same name again, and an alarm of before, change nothing.
  registration.driver_is("disk.example.com");
  registration.time_is_over();
  CHECK(registration.turn() == 1);
  CHECK_FALSE(registration.take_alarm());
}

TEST_CASE_METHOD(Opened, "A kubelet that refuses gets a new socket, later each time") {
  for (const auto pause : {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) {
    registration.kubelet_says(false, "no such socket");
    CHECK(registration.take_alarm() == std::optional<std::chrono::nanoseconds>(pause));
    CHECK(registration.health().status == 500);
    CHECK(has(registration.trouble(),
              "has not registered the driver \"disk.example.com\": no such socket; see"));
    registration.kubelet_says(false, "");  // once more, which makes it no later
    CHECK_FALSE(registration.take_alarm());
    CHECK(has(registration.health().text, "it gave no reason"));
    open_again();
    CHECK(registration.health().status == 500);
  }
  registration.kubelet_says(true, "");
  CHECK(registration.trouble().empty());
  CHECK(registration.health().status == 200);
  // The pauses begin anew.
  registration.kubelet_says(false, "gone");
  CHECK_FALSE(registration.is_registered());
  CHECK(registration.take_alarm() == std::optional<std::chrono::nanoseconds>(1s));
}

TEST_CASE_METHOD(Opened, "A kubelet that says nothing is told of, and gets a new socket") {
  registration.time_is_over();
  CHECK(has(registration.trouble(), "has said nothing of the driver \"disk.example.com\""));
  CHECK(registration.health().status == 200);
  CHECK(registration.take_alarm() == std::optional<std::chrono::nanoseconds>(1s));
  SECTION("which it takes") {
    open_again();
    CHECK_FALSE(registration.trouble().empty());
    registration.kubelet_says(true, "");
  }
  SECTION("unless it speaks before") {
    registration.kubelet_says(true, "");
    registration.time_is_over();
    CHECK(registration.turn() == 1);
  }
  CHECK(registration.trouble().empty());
  CHECK(registration.is_registered());
}

TEST_CASE_METHOD(Opened, "A socket that is lost is made anew, and the kubelet is waited for") {
  registration.kubelet_says(true, "");
  SECTION("by the agent at once") {
    registration.socket_is_there();
    CHECK(registration.turn() == 1);
  }
  SECTION("after a pause") {
    registration.socket_is_lost("a file is in its place");
    CHECK(registration.trouble() == "a file is in its place");
    CHECK(registration.health().status == 500);
    CHECK(registration.take_alarm() == std::optional<std::chrono::nanoseconds>(1s));
    registration.time_is_over();
    CHECK(registration.turn() == 2);
    registration.socket_is_there();
  }
  CHECK_FALSE(registration.is_registered());
  CHECK(registration.take_alarm() == Registration::kPatience);
  CHECK(registration.trouble().empty());
  CHECK(registration.health().status == 200);
}

TEST_CASE_METHOD(Opened, "Another name, or a driver that is back, is registered anew") {
  registration.kubelet_says(true, "");
  registration.driver_fails("it is slow");
  CHECK(registration.trouble() == "it is slow");
  registration.driver_is("disk.example.com");
  CHECK(registration.turn() == 1);
  CHECK(registration.trouble().empty());
  registration.driver_is_gone("nobody is there");
  CHECK(registration.health().status == 200);  // the socket is served on
  CHECK(registration.turn() == 1);
  registration.driver_is("disk.example.com");
  CHECK(registration.turn() == 2);
  registration.driver_is("other.example.com");
  CHECK(registration.turn() == 3);
  CHECK(registration.path() == "/registration/other.example.com-reg.sock");
  registration.driver_is("a/b");
  CHECK(registration.turn() == 4);
  CHECK(registration.path().empty());
}

}  // namespace longshore::node_driver_registrar
