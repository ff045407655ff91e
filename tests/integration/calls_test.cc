// Calls over the agent's sockets, as csi-proxy's clients and others make them.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "grpc/health/v1.pb.h"
#include "grpc/reflection/v1.pb.h"
#include "longshore/echo/v1.pb.h"
#include "tests/integration/echo_requests.h"
#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/is_long.h"
#include "tests/support/is_thorough.h"
#include "tests/support/process_figures.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"

using namespace longshore;
using namespace longshore::test;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;

constexpr const char* kVersions[] = {"v1alpha1", "v1beta1", "v1beta2", "v1", "v2alpha1"};
const std::string kEcho = "longshore.echo.v1.Echo/";

struct Fixture {
  Fixture() {
    INFO(directory.log());
    REQUIRE(agent.serves());
  }
  ~Fixture() { CHECK(agent.stop() == 0); }

  AgentDirectory directory;
  AgentProcess agent{directory};
};

echo::v1::WaitRequest wait_request(std::chrono::milliseconds time) {
  echo::v1::WaitRequest request;
  request.set_milliseconds(time.count());
  return request;
}

}  // namespace

TEST_CASE_METHOD(Fixture, "A directory tree lives its life in every version, each on its socket") {
  for (const std::string version : kVersions) {
    INFO(version);
    // The first two versions have a context in each request, and an error before each answer.
    const bool old = version == "v1alpha1" || version == "v1beta1";
    const std::string yes = WireWriter().number(old ? 2 : 1, 1);
    TestClient client(directory.filesystem_socket(version));
    const auto call = [&](const std::string& method, const std::string& request) {
      const auto answer = client.call(version + ".Filesystem/" + method, request);
      INFO(method << ": " << answer->text());
      REQUIRE(answer->code() == StatusCode::kOk);
      return answer->messages.at(0);
    };
    const std::string folder = directory.root() + "/" + version;
    const std::string link = folder + "/link";
    const auto path = [](const std::string& text) -> std::string {
      return WireWriter().text(1, text);
    };
    CHECK(call("PathExists", path(folder)) == "");
    CHECK(call("Mkdir", path(folder + "/deep/down")) == "");
    CHECK(call("PathExists", path(folder + "/deep/down")) == yes);
    CHECK(call(old ? "LinkPath" : "CreateSymlink",
               WireWriter().text(1, folder + "/deep").text(2, link)) == "");
    CHECK(fs::read_symlink(link) == folder + "/deep");
    CHECK(call(old ? "IsMountPoint" : "IsSymlink", path(link)) == yes);
    CHECK(call(old ? "IsMountPoint" : "IsSymlink", path(folder)) == "");
    const std::string question =
        version + (old ? ".Filesystem/IsMountPoint" : ".Filesystem/IsSymlink");
    CHECK(client.call(question, path(folder + "/absent"))->code() == StatusCode::kNotFound);
    fs::rename(folder + "/deep", folder + "/elsewhere");
    CHECK(call(old ? "IsMountPoint" : "IsSymlink", path(link)) == "");  // it leads nowhere
    const auto full = client.call(version + ".Filesystem/Rmdir", path(folder));
    CHECK(full->code() == StatusCode::kFailedPrecondition);
    CHECK(fs::exists(folder));
    CHECK(call("Rmdir", WireWriter().text(1, folder).number(old ? 3 : 2, 1)) == "");
    CHECK_FALSE(fs::exists(folder));
  }
}

TEST_CASE_METHOD(Fixture, "Each csi-proxy socket serves its own version and nothing else") {
  for (const std::string version : kVersions) {
    TestClient client(directory.filesystem_socket(version));
    for (const std::string other : kVersions) {
      const auto answer =
          client.call(other + ".Filesystem/PathExists", WireWriter().text(1, directory.root()));
      CHECK(answer->code() == (other == version ? StatusCode::kOk : StatusCode::kUnimplemented));
    }
    CHECK(client.call(kEcho + "Say", "")->code() == StatusCode::kUnimplemented);
    CHECK(client.call("longshore.admin.v1.Admin/GetStatus", "")->code() ==
          StatusCode::kUnimplemented);
  }
}

TEST_CASE_METHOD(Fixture,
                 "An endpoint may offer the Admin service, and nothing that is for modules only") {
  const std::string socket = directory / "extra/watch/watch.sock";
  const auto offer = [&](const std::string& service) {
    directory.configure("[endpoints.watch]\naddress = \"unix://" + socket + "\"\nservices = [\"" +
                        service + "\"]\npermissions.all = {users = [\"*\"], methods = [\"" +
                        service + "/GetStatus\"]}\n");
    return agent.reload();
  };
  REQUIRE(offer("longshore.admin.v1.Admin"));
  TestClient client(socket);
  CHECK(client.call("longshore.admin.v1.Admin/GetStatus", "")->code() == StatusCode::kOk);
  CHECK(client.call("longshore.admin.v1.Admin/Reload", "")->code() ==
        StatusCode::kPermissionDenied);
  CHECK(client.call(kEcho + "Say", "")->code() == StatusCode::kUnimplemented);
  grpc::reflection::v1::ServerReflectionRequest question;
  question.set_list_services("*");
  const auto stream = client.open("grpc.reflection.v1.ServerReflection/ServerReflectionInfo");
  stream->call->send(question.SerializeAsString());
  stream->call->half_close();
  REQUIRE(client.run_until([&] { return stream->finished(); }));
  grpc::reflection::v1::ServerReflectionResponse response;
  REQUIRE(response.ParseFromString(stream->messages.at(0)));
  REQUIRE(response.list_services_response().service_size() == 1);
  CHECK(response.list_services_response().service(0).name() == "longshore.admin.v1.Admin");

  static_cast<void>(offer("longshore.host.v1.Csi"));  // which changes nothing
  CHECK(directory.log().find("which the agent serves to modules only") != std::string::npos);
  CHECK(client.call("longshore.admin.v1.Admin/GetStatus", "")->code() == StatusCode::kOk);
  directory.configure();
  REQUIRE(agent.reload());
  CHECK_THROWS(TestClient(socket));
}

TEST_CASE_METHOD(Fixture, "RmdirContents empties a directory and follows no link out of it") {
  const std::string outside = directory / "outside";
  fs::create_directories(directory.root() + "/a/b/c");
  fs::create_directory(outside);
  write_file(outside + "/precious", "x");
  write_file(directory.root() + "/a/file", "x");
  fs::create_directory_symlink(outside, directory.root() + "/a/link");
  TestClient client(directory.filesystem_socket("v2alpha1"));
  const auto answer = client.call("v2alpha1.Filesystem/RmdirContents",
                                  WireWriter().text(1, directory.root() + "/a"));
  CHECK(answer->text() == "");
  CHECK(fs::is_empty(directory.root() + "/a"));
  CHECK(fs::exists(outside + "/precious"));
}

TEST_CASE_METHOD(Fixture, "Bad paths and bad requests get a clear error each") {
  TestClient client(directory.filesystem_socket("v1"));
  const auto code_of = [&](const std::string& method, const std::string& request) {
    const auto answer = client.call("v1.Filesystem/" + method, request);
    CHECK((answer->code() == StatusCode::kOk || !answer->text().empty()));
    return answer->code();
  };
  for (const std::string& path :
       {std::string(), std::string("relative"), directory.root() + "/../outside",
        directory.root() + std::string("/a\0b", 4), std::string("C:\\var\\lib")}) {
    INFO(path);
    CHECK(code_of("Mkdir", WireWriter().text(1, path)) == StatusCode::kInvalidArgument);
  }
  CHECK(code_of("Mkdir", WireWriter().text(1, "/etc/longshore-test")) ==
        StatusCode::kPermissionDenied);
  CHECK(code_of("PathExists", "") == StatusCode::kInvalidArgument);
  CHECK(code_of("PathExists", "\x0a\x7f/a") == StatusCode::kInvalidArgument);
  CHECK(code_of("PathExists", std::string(5 << 20, 'x')) == StatusCode::kResourceExhausted);
  CHECK(code_of("Nothing", "") == StatusCode::kUnimplemented);
  CHECK(code_of("PathExists", WireWriter().text(1, directory.root())) == StatusCode::kOk);
}

TEST_CASE_METHOD(Fixture, "Deadlines and cancellations reach the caller at once") {
  TestClient client(directory.echo_socket());
  for (const char* method : {"Wait", "WaitAsync"}) {
    const auto begun = std::chrono::steady_clock::now();
    const auto late =
        client.call(kEcho + method, wait_request(10s).SerializeAsString(), with_timeout(100ms));
    CHECK(late->code() == StatusCode::kDeadlineExceeded);
    const auto cancelled = client.start(kEcho + method, wait_request(10s).SerializeAsString());
    client.call(kEcho + "Say", "");
    cancelled->call->cancel();
    REQUIRE(client.run_until([&] { return cancelled->finished(); }));
    CHECK(cancelled->code() == StatusCode::kCancelled);
    CHECK(std::chrono::steady_clock::now() - begun < 8s);
  }
}

TEST_CASE_METHOD(Fixture, "Streams arrive whole and in order, also large and slowly read ones") {
  TestClient client(directory.echo_socket());
  rpc::ClientCallOptions slowly;
  slowly.manual_flow = true;
  const auto stream = client.start(kEcho + "Count", count_to(500, 20000), slowly);
  for (size_t granted = 1; granted <= 500; ++granted) {
    stream->call->grant(1);
    REQUIRE(client.run_until([&] { return stream->messages.size() == granted; }));
  }
  REQUIRE(client.run_until([&] { return stream->finished(); }));
  CHECK(stream->code() == StatusCode::kOk);
  echo::v1::CountResponse response;
  for (int64_t number = 0; number < 500; ++number) {
    REQUIRE(response.ParseFromString(stream->messages.at(static_cast<size_t>(number))));
    REQUIRE(response.number() == number);
    REQUIRE(response.payload().size() == 20000);
  }
}

TEST_CASE_METHOD(Fixture, "Statuses and exceptions of a module arrive as they are") {
  TestClient client(directory.echo_socket());
  for (int code = 1; code <= 16; ++code) {
    echo::v1::FailRequest request;
    request.set_code(code);
    request.set_text("reason \xc3\xa9 100%");
    const auto answer = client.call(kEcho + "Fail", request.SerializeAsString());
    CHECK(answer->code() == static_cast<StatusCode>(code));
    CHECK(answer->text() == "reason \xc3\xa9 100%");
  }
  echo::v1::FailRequest thrown;
  thrown.set_by_exception(true);
  thrown.set_text("thrown");
  const auto answer = client.call(kEcho + "Fail", thrown.SerializeAsString());
  CHECK(answer->code() == StatusCode::kInternal);
  CHECK(answer->text().find("thrown") != std::string::npos);
}

TEST_CASE_METHOD(Fixture, "A module calls others only where may_call says so") {
  TestClient client(directory.echo_socket());
  const std::string path = directory.root();
  const std::string path_exists = "\x0a" + std::string(1, static_cast<char>(path.size())) + path;
  const std::string request = forward("v1.Filesystem/PathExists", path_exists);
  const auto refused = client.call(kEcho + "Forward", request);
  CHECK(refused->code() == StatusCode::kPermissionDenied);
  CHECK(refused->text().find("may_call") != std::string::npos);

  directory.configure({}, "may_call = [\"v1.Filesystem/PathExists\"]\n");
  REQUIRE(agent.reload());
  const auto answered = client.call(kEcho + "Forward", request, with_timeout(10s));
  INFO(answered->text());
  REQUIRE(answered->code() == StatusCode::kOk);
  echo::v1::ForwardResponse outer;
  REQUIRE(outer.ParseFromString(answered->messages.at(0)));
  CHECK(outer.response() == "\x08\x01");  // field 1: true
  CHECK(client.call(kEcho + "Forward", forward("v1.Filesystem/Mkdir", path_exists))->code() ==
        StatusCode::kPermissionDenied);
}

TEST_CASE_METHOD(Fixture, "A module that is called on learns who calls, and for whom") {
  directory.configure("[modules.hostile]\nlibrary = \"" + hostile_module("tells_caller") + "\"\n",
                      "may_call = [\"hostile.v1.Hostile\"]\n");
  REQUIRE(agent.reload());
  INFO(directory.log());
  TestClient client(directory.echo_socket());
  const auto answered = client.call(kEcho + "Forward", forward("hostile.v1.Hostile/Do", ""));
  INFO(answered->text());
  REQUIRE(answered->code() == StatusCode::kOk);
  echo::v1::ForwardResponse outer;
  REQUIRE(outer.ParseFromString(answered->messages.at(0)));
  CHECK(outer.response() == "module:echo for uid:" + std::to_string(getuid()));
}

TEST_CASE_METHOD(Fixture, "A client's request id is in the log and reaches the module") {
  TestClient client(directory.echo_socket());
  rpc::ClientCallOptions options;
  options.metadata = {{"x-request-id", "attach-pvc-7"}};
  echo::v1::DescribeResponse response;
  REQUIRE(response.ParseFromString(client.call(kEcho + "Describe", "", options)->messages.at(0)));
  CHECK(response.request_id() == "attach-pvc-7");
  echo::v1::FailRequest fail;
  fail.set_code(13);
  fail.set_text("as asked");
  client.call(kEcho + "Fail", fail.SerializeAsString(), options);
  CHECK(directory.log().find("as asked module=echo method=" + kEcho +
                             "Fail request=attach-pvc-7 caller=uid:") != std::string::npos);
}

TEST_CASE_METHOD(Fixture, "deny_methods denies, and says that it does") {
  TestClient client(directory.echo_socket());
  directory.configure({}, "deny_methods = [\"" + kEcho + "Say\"]\n");
  REQUIRE(agent.reload());
  const auto denied = client.call(kEcho + "Say", "");
  CHECK(denied->code() == StatusCode::kPermissionDenied);
  CHECK(denied->text().find("deny_methods") != std::string::npos);
  CHECK(client.call(kEcho + "SayAtOnce", "")->code() == StatusCode::kOk);
}

TEST_CASE("deny_methods that leaves other versions open is warned of in the log") {
  const auto deny = [](const AgentDirectory& directory, const std::string& method) {
    const fs::path more = fs::path(directory.config_file()).parent_path() / "conf.d";
    fs::create_directory(more);
    write_file(more / "10-deny.toml",
               "[modules.filesystem]\ndeny_methods = [\"" + method + "\"]\n");
  };
  AgentDirectory directory;
  deny(directory, "v1.Filesystem/Rmdir");
  AgentProcess agent(directory);
  REQUIRE(agent.serves());
  CHECK(directory.log().find("denies \"v1.Filesystem/Rmdir\" and leaves") != std::string::npos);
  CHECK(directory.log().find("denies \"v1.Filesystem/Mkdir\" and leaves") == std::string::npos);
  deny(directory, "v1.Filesystem/Mkdir");
  REQUIRE(agent.reload());
  CHECK(directory.log().find("denies \"v1.Filesystem/Mkdir\" and leaves") != std::string::npos);
  CHECK(agent.stop() == 0);
}

TEST_CASE_METHOD(Fixture, "Reflection and health tell of what the socket serves") {
  TestClient client(directory.filesystem_socket("v1beta2"));
  grpc::reflection::v1::ServerReflectionRequest question;
  question.set_list_services("*");
  const auto stream = client.open("grpc.reflection.v1.ServerReflection/ServerReflectionInfo");
  stream->call->send(question.SerializeAsString());
  question.set_file_containing_symbol("v1beta2.Filesystem");
  stream->call->send(question.SerializeAsString());
  question.set_file_containing_symbol("v1.Filesystem");
  stream->call->send(question.SerializeAsString());
  question.set_file_by_filename("filesystem/v1.proto");
  stream->call->send(question.SerializeAsString());
  stream->call->half_close();
  REQUIRE(client.run_until([&] { return stream->finished(); }));
  REQUIRE(stream->messages.size() == 4);
  grpc::reflection::v1::ServerReflectionResponse services;
  REQUIRE(services.ParseFromString(stream->messages[0]));
  REQUIRE(services.list_services_response().service_size() == 1);
  CHECK(services.list_services_response().service(0).name() == "v1beta2.Filesystem");
  grpc::reflection::v1::ServerReflectionResponse files;
  REQUIRE(files.ParseFromString(stream->messages[1]));
  CHECK(files.file_descriptor_response().file_descriptor_proto_size() >= 1);
  for (const size_t hidden : {2u, 3u}) {  // the module has them; this socket does not serve them
    REQUIRE(files.ParseFromString(stream->messages[hidden]));
    CHECK(files.error_response().error_code() == static_cast<int>(StatusCode::kNotFound));
  }

  grpc::health::v1::HealthCheckRequest check;
  check.set_service("v1beta2.Filesystem");
  const auto healthy = client.call("grpc.health.v1.Health/Check", check.SerializeAsString());
  CHECK(healthy->messages == std::vector<std::string>{WireWriter().number(1, 1)});
  check.set_service("longshore.echo.v1.Echo");
  CHECK(client.call("grpc.health.v1.Health/Check", check.SerializeAsString())->code() ==
        StatusCode::kNotFound);
}

TEST_CASE_METHOD(Fixture, "64 clients with calls of all kinds at once get their own answers") {
  std::vector<std::thread> threads;
  std::vector<std::string> faults(64);
  for (size_t number = 0; number < faults.size(); ++number) {
    threads.emplace_back([&, number] {
      try {
        TestClient client(directory.echo_socket());
        TestClient files(directory.filesystem_socket(kVersions[number % 5]));
        for (int round = 0; round < 20; ++round) {
          echo::v1::SayRequest say;
          say.set_text(std::to_string(number) + "/" + std::to_string(round));
          const auto said = client.start(kEcho + "Say", say.SerializeAsString());
          const auto waited =
              client.start(kEcho + "WaitAsync", wait_request(5ms).SerializeAsString());
          const auto late = client.start(
              kEcho + "WaitAsync", wait_request(200ms).SerializeAsString(), with_timeout(20ms));
          const auto made = files.call(std::string(kVersions[number % 5]) + ".Filesystem/Mkdir",
                                       WireWriter().text(1, directory.root() + "/" + say.text()));
          if (!client.run_until(
                  [&] { return said->finished() && waited->finished() && late->finished(); })) {
            faults[number] = "no answer";
          } else if (said->messages != std::vector<std::string>{say.SerializeAsString()} ||
                     waited->code() != StatusCode::kOk ||
                     late->code() != StatusCode::kDeadlineExceeded ||
                     made->code() != StatusCode::kOk) {
            faults[number] = said->text() + waited->text() + late->text() + made->text();
          }
        }
      } catch (const std::exception& error) {
        faults[number] = error.what();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const std::string& fault : faults) CHECK(fault == "");
  CHECK(fs::exists(directory.root() + "/63/19"));
}

TEST_CASE_METHOD(Fixture, "Text that is no UTF-8 is refused, and nobody fills the log with it") {
  TestClient client(directory.filesystem_socket("v1"));
  const auto answer = client.call("v1.Filesystem/PathExists", WireWriter().text(1, "/\xff\xfe"));
  CHECK(answer->code() == StatusCode::kInvalidArgument);
  CHECK(answer->text() == "the request is not a valid message for v1.Filesystem/PathExists");
  CHECK(directory.log().find("protobuf") == std::string::npos);
}

TEST_CASE("Calls that fail without end leave a few lines in the log, and their number", "[plain]") {
  const std::string isolation = GENERATE(as<std::string>(), "in-process", "process");
  INFO(isolation);
  // So many once wrote 161 MB. A fortieth would write 4 MB, four times what is allowed.
  const int calls = is_long() ? 200'000 : is_thorough() ? 20'000 : 5'000;
  const AgentDirectory directory;
  directory.configure({},
                      "isolation = \"" + isolation + "\"\ndeny_methods = [\"" + kEcho + "Say\"]\n");
  AgentProcess agent(directory);
  REQUIRE(agent.serves());
  echo::v1::FailRequest fail;
  fail.set_code(static_cast<int>(StatusCode::kInternal));
  fail.set_text("in vain " + std::string(2000, 'x'));
  TestClient client(directory.echo_socket());
  for (int begun = 0; begun < calls; begun += 100) {
    std::vector<std::shared_ptr<Answer>> answers;
    for (int i = 0; i < 50; ++i) {
      answers.push_back(client.start(kEcho + "Fail", fail.SerializeAsString()));
      answers.push_back(client.start(kEcho + "Say", ""));
    }
    REQUIRE(client.run_until(
        [&] { return std::ranges::all_of(answers, [](auto& each) { return each->finished(); }); }));
    for (size_t i = 0; i < answers.size(); ++i) {
      REQUIRE(answers[i]->code() ==
              (i % 2 == 0 ? StatusCode::kInternal : StatusCode::kPermissionDenied));
    }
  }
  CHECK(agent.stop() == 0);
  const std::string log = directory.log();
  CHECK(log.size() < (1u << 20));
  uint64_t told_calls = 0;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const size_t told = line.find(" more lines like this in the last ");
    if (told != line.npos) told_calls += std::stoull(line.substr(line.rfind(' ', told - 1) + 1));
    if (line.find("INFO  ") != line.npos && line.find("deny_methods") != line.npos) ++told_calls;
    if (line.find("in vain") != line.npos) ++told_calls;
  }
  CHECK(told_calls == static_cast<uint64_t>(calls));
}

TEST_CASE_METHOD(Fixture, "A hundred thousand calls and a thousand connections leave nothing open",
                 "[plain]") {
  TestClient client(directory.echo_socket());
  const auto hundred_calls = [&] {
    std::vector<std::shared_ptr<Answer>> answers;
    for (int i = 0; i < 50; ++i) {
      answers.push_back(client.start(kEcho + "SayAtOnce", ""));
      answers.push_back(client.start(kEcho + "Say", ""));
    }
    REQUIRE(client.run_until([&] {
      return std::all_of(answers.begin(), answers.end(),
                         [](const auto& answer) { return answer->finished(); });
    }));
    for (const auto& answer : answers) REQUIRE(answer->code() == StatusCode::kOk);
  };
  const auto use = [&](int rounds) {
    for (int round = 0; round < rounds; ++round) {
      hundred_calls();
      TestClient(directory.echo_socket()).call(kEcho + "Say", "");
    }
  };
  // Sanitizers have no figures to show, and make each call several times as long.
  constexpr int kRounds = kMemoryTellsLeaks ? 800 : 80;
  use(kRounds / 4);
  const size_t descriptors = open_descriptors(agent.id());
  // Threads that meet for the first time make the heap larger, which ends; a leak does not.
  bool is_flat = false;
  for (int times = 0; times < (kMemoryTellsLeaks ? 3 : 1) && !is_flat; ++times) {
    const size_t memory = own_memory_kib(agent.id());
    use(kRounds);
    is_flat = own_memory_kib(agent.id()) < memory + 512;
  }
  const auto end = std::chrono::steady_clock::now() + 10s;
  while (open_descriptors(agent.id()) > descriptors && std::chrono::steady_clock::now() < end) {
    hundred_calls();  // closing is noticed between two of them
  }
  CHECK(open_descriptors(agent.id()) <= descriptors);
  if (kMemoryTellsLeaks) CHECK(is_flat);
}
