// A password goes through the agent, and through a module's own process, and cannot be found in the
// memory of either when the call is over.
#include <catch2/catch.hpp>
#include <fstream>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "isolation_world.h"
#include "tests/support/random_seed.h"
#include "tests/support/wire_writer.h"

using namespace longshore;
using namespace longshore::test;
using namespace std::chrono_literals;

namespace {

// How often any of the texts stands in memory that the process can read.
size_t count_in_memory(pid_t process, const std::vector<std::string>& texts) {
  std::istringstream regions(proc_text(process, "maps"));
  std::ifstream memory("/proc/" + std::to_string(process) + "/mem", std::ios::binary);
  REQUIRE(memory.is_open());
  size_t count = 0;
  for (std::string region; std::getline(regions, region);) {
    uint64_t begin = 0, end = 0;
    char dash = 0, may_read = 0;
    std::istringstream(region) >> std::hex >> begin >> dash >> end >> may_read;
    if (may_read != 'r' || region.ends_with("[vvar]")) continue;
    std::string bytes(end - begin, '\0');
    memory.clear();
    memory.seekg(static_cast<std::streamoff>(begin));
    memory.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<size_t>(memory.gcount()));
    for (const std::string& text : texts) {
      for (size_t at = 0; (at = bytes.find(text, at)) != std::string::npos; ++at) ++count;
    }
  }
  return count;
}

// Any part of it: the beginning of freed memory is soon used otherwise.
std::vector<std::string> parts_of(const std::string& password) {
  std::vector<std::string> parts;
  for (size_t at = 0; at + 8 <= password.size(); at += 8) parts.push_back(password.substr(at, 8));
  return parts;
}

std::string random_letters(size_t count) {
  static std::mt19937_64 random(random_seed());
  std::uniform_int_distribution<int> letter('a', 'z');
  std::string letters;
  while (letters.size() < count) letters += static_cast<char>(letter(random));
  return letters;
}

// An agent with the modules whose requests have passwords.
class SecretAgent {
 public:
  explicit SecretAgent(const std::string& isolation) : isolation_(isolation) {
    configure("first");
    agent.emplace(directory);
    INFO(directory.log());
    REQUIRE(agent->serves());
  }

  // `name`: a setting of the module iscsi's; with another one it is started anew.
  void configure(const std::string& name) const {
    const std::string isolated = "isolation = \"" + isolation_ + "\"\n";
    directory.configure("[modules.smb]\n" + isolated + "settings.allowed_roots = [\"" +
                        directory.root() + "\"]\nsettings.mappings_directory = \"" +
                        (directory / mappings) + "\"\n[modules.iscsi]\n" + isolated +
                        "settings.database = \"" + (directory / "iscsi") +
                        "\"\nsettings.mutual_chap_username = \"" + name +
                        "\"\n[endpoints.secrets]\naddress = \"unix://" + socket() +
                        "\"\nservices = [\"v1.Smb\", \"v1alpha2.Iscsi\"]\n");
  }

  std::string socket() const { return directory / "extra/secrets/secrets.sock"; }
  // The agent's, and those of modules.
  std::vector<pid_t> processes() const {
    std::vector<pid_t> all = children_of(agent->id());
    all.push_back(agent->id());
    return all;
  }
  size_t count(const std::vector<std::string>& texts) const {
    size_t all = 0;
    for (const pid_t process : processes()) all += count_in_memory(process, texts);
    return all;
  }
  bool forgets(const std::string& password) const {
    return eventually([&] { return count(parts_of(password)) == 0; });
  }

  const std::string mappings = random_letters(40);
  AgentDirectory directory;
  std::optional<AgentProcess> agent;

 private:
  const std::string isolation_;
};

}  // namespace

TEST_CASE("A password is in no memory of the agent's when the call that brought it is over") {
  const std::string isolation = GENERATE("in-process", "process");
  CAPTURE(isolation);
  const SecretAgent world(isolation);
  REQUIRE(world.processes().size() == (isolation == "process" ? 3 : 1));
  REQUIRE(world.count({world.mappings}) > 0);  // what is there is found
  const std::string password = random_letters(40);
  WireWriter request;
  SECTION("and the module refuses the request") { request.text(4, password).text(1, "no share"); }
  SECTION("and the mapping fails") {
    request.text(1, "\\\\127.0.0.1\\share").text(3, "user").text(4, password);
  }
  SECTION("and it came in many pieces") {
    request.text(4, password).text(1, std::string(300'000, 'x')).text(4, password);
  }
  TestClient client(world.socket());
  const auto answer = client.call("v1.Smb/NewSmbGlobalMapping", request, with_timeout(20s));
  CHECK(answer->code() != StatusCode::kOk);
  CHECK(answer->code() != StatusCode::kUnimplemented);  // it got as far as the module
  CHECK(world.forgets(password));
}

TEST_CASE("A password of a call that never begins is in no memory either") {
  const SecretAgent world("in-process");
  const std::string password = random_letters(40);
  const std::string request = WireWriter().text(4, password);
  SECTION("since there is no such method") {
    TestClient client(world.socket());
    const auto answer = client.call("v1.Smb/NoSuchMethod", request);
    CHECK(answer->code() == StatusCode::kUnimplemented);
    CHECK(world.forgets(password));
  }
  SECTION("since it has two requests") {
    TestClient client(world.socket());
    const auto answer = client.open("v1.Smb/NewSmbGlobalMapping");
    for (int i = 0; i < 2; ++i) answer->call->send(request);
    REQUIRE(client.run_until([&] { return answer->finished(); }));
    CHECK(answer->code() == StatusCode::kInvalidArgument);
    CHECK(world.forgets(password));
  }
  SECTION("since its client goes away") {
    {
      TestClient client(world.socket());
      const auto answer = client.open("v1.Smb/NewSmbGlobalMapping");
      answer->call->send(request);
      REQUIRE(client.call("v1.Smb/NoSuchMethod", {})->code() == StatusCode::kUnimplemented);
    }
    CHECK(world.forgets(password));
  }
}

TEST_CASE("What a module hands over to the next instance is in that one's memory only") {
  const std::string isolation = GENERATE("in-process", "process");
  CAPTURE(isolation);
  SecretAgent world(isolation);
  const std::string secret = random_letters(12);
  const auto is_in_one_place = [&] {
    return eventually([&] { return world.count({secret}) == 1; });
  };
  TestClient client(world.socket());
  const auto answer =
      client.call("v1alpha2.Iscsi/SetMutualChapSecret", WireWriter().text(1, secret));
  REQUIRE(answer->code() == StatusCode::kOk);
  CHECK(is_in_one_place());
  world.configure("second");
  REQUIRE(world.agent->reload());
  CHECK(is_in_one_place());
  CHECK(world.agent->stop() == 0);
}
