// longshorectl as a program, against a real agent.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "longshorectl_run.h"
#include "tests/support/build_tree.h"

using namespace longshore::test;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::Equals;
using Catch::Matchers::StartsWith;

namespace {

namespace fs = std::filesystem;

ProgramRun config(const AgentDirectory& directory, std::vector<std::string> words) {
  words.insert(words.begin(), "config");
  words.push_back("--config=" + directory.config_file());
  return run_at(directory.control_socket(), std::move(words));
}

}  // namespace

TEST_CASE("the state of the agent is told to people and to programs") {
  const Served served;
  const auto status = served.run({"status"});
  CHECK(status.exit_code == 0);
  CHECK_THAT(status.output, Contains("serving") && Contains("ENDPOINT") &&
                                Contains("unix://" + served.directory.echo_socket()));
  const auto modules = served.run({"modules"});
  CHECK_THAT(modules.output,
             StartsWith("MODULE ") && Contains("\necho ") && Contains("\nfilesystem "));
  const auto services = served.run({"services"});
  CHECK_THAT(services.output, Contains("v2alpha1.Filesystem/RmdirContents") &&
                                  Contains(kEcho + "Count") && Contains("stream"));

  const auto json = served.run({"--output", "json", "status"});
  CHECK(json.exit_code == 0);
  CHECK_THAT(json.output,
             StartsWith("{\"version\":") && Contains("\"state\":\"serving\"") && EndsWith("}\n"));
  CHECK(std::count(json.output.begin(), json.output.end(), '\n') == 1);
  CHECK_THAT(served.run({"modules", "--output", "json"}).output, StartsWith("{\"modules\":["));
  CHECK_THAT(served.run({"services", "--output", "json"}).output, StartsWith("{\"services\":["));
}

TEST_CASE("a module that does not serve is named in the agent's state") {
  AgentDirectory directory;
  directory.configure(
      "[modules.broken]\nlibrary = \"longshore-disk\"\nsettings.disk_names = [\"/dev/sda\"]\n");
  const AgentProcess agent(directory);
  REQUIRE(agent.serves());
  CHECK_THAT(run_at(directory.control_socket(), {"status"}).output,
             Contains("3, not serving: broken\n") && Contains(directory.config_file()));
  CHECK_THAT(run_at(directory.control_socket(), {"status", "--output=json"}).output,
             Contains("\"modules_not_serving\":[\"broken\"]"));
  CHECK_THAT(directory.log(), Contains("not_serving=broken"));
}

TEST_CASE("columns begin at the same place in every row") {
  const Served served;
  const std::string table = served.run({"modules"}).output;
  const size_t second = table.find('\n') + 1;
  CHECK(table.find("STATE") == table.find("serving", second) - second);
}

TEST_CASE("methods of modules are called in JSON") {
  const Served served;
  const std::string path = "{\"path\": \"" + served.directory.root() + "/made\"}";
  CHECK(served.run({"call", "v1.Filesystem/Mkdir", path}).exit_code == 0);
  CHECK(fs::is_directory(served.directory.root() + "/made"));
  CHECK_THAT(served.run({"call", "v1.Filesystem/PathExists", path}).output,
             Equals("{\n \"exists\": true\n}\n"));
  CHECK_THAT(served.run({"call", "v1.Filesystem/PathExists", "-", "--output=json"}, path).output,
             Equals("{\"exists\":true}\n"));
  const std::string file = served.directory / "request.json";
  write_file(file, R"({"text": "from a file"})");
  CHECK_THAT(served.run({"call", kEcho + "Say", "@" + file}).output, Contains("from a file"));
  CHECK_THAT(served.run({"call", kEcho + "Say"}).output, Contains("\"text\": \"\""));
}

TEST_CASE("each answer of a stream is a line of JSON") {
  const Served served;
  const auto run = served.run({"call", kEcho + "Count", R"({"count": 3})"});
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.output, Equals("{\"number\":\"0\",\"payload\":\"\"}\n"
                                "{\"number\":\"1\",\"payload\":\"\"}\n"
                                "{\"number\":\"2\",\"payload\":\"\"}\n"));
}

TEST_CASE("secrets are not taken from the command line") {
  const Served served;
  const std::string request = R"({"password": "swordfish"})";
  const auto refused = served.run({"call", kEcho + "Describe", request});
  CHECK(refused.exit_code == 1);
  CHECK(refused.output.empty());
  CHECK_THAT(refused.errors, Contains("DescribeRequest.password") && Contains("standard input") &&
                                 !Contains("swordfish"));
  CHECK(served.run({"call", kEcho + "Describe", "{}"}).exit_code == 0);
  CHECK(served.run({"call", kEcho + "Describe", "-"}, request).exit_code == 0);
  const std::string file = served.directory / "request.json";
  write_file(file, request);
  CHECK(served.run({"call", kEcho + "Describe", "@" + file}).exit_code == 0);
  const auto faulty = served.run({"call", kEcho + "Describe", "-"}, R"({"password": swordfish})");
  CHECK(faulty.exit_code == 2);
  CHECK_THAT(faulty.errors, !Contains("swordfish"));
}

TEST_CASE("faulty JSON is told and nothing is called") {
  const Served served;
  const auto [request, complaint] = GENERATE(table<std::string, std::string>({
      {R"({"txt": "a"})", "txt"},
      {R"({"text": )", "Unexpected end"},
      {R"({"text": {"deep": 1}})", "text"},
      {"[]", "SayRequest"},
      {"nonsense", "SayRequest"},
  }));
  CAPTURE(request);
  const auto run = served.run({"call", kEcho + "Say", request});
  CHECK(run.exit_code == 2);
  CHECK(run.output.empty());
  CHECK_THAT(run.errors, Contains("cannot read the JSON") && Contains(complaint));
}

TEST_CASE("a request that cannot be read is told") {
  const Served served;
  const auto run = served.run({"call", kEcho + "Say", "@/nowhere/request.json"});
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.errors, Contains("/nowhere/request.json") && Contains("No such file"));
}

TEST_CASE("calls that fail say the code and the text") {
  const Served served;
  const auto failed = served.run({"call", kEcho + "Fail", R"({"code": 5, "text": "not here"})"});
  CHECK(failed.exit_code == 4);
  CHECK(failed.output.empty());
  CHECK_THAT(failed.errors, Equals("NOT_FOUND: not here\n"));

  const auto json = served.run(
      {"call", kEcho + "Fail", R"({"code": 5, "text": "not here"})", "--output", "json"});
  CHECK(json.exit_code == 4);
  CHECK_THAT(json.errors, Contains("\"code\":\"NOT_FOUND\"") &&
                              Contains("\"message\":\"not here\"") && Contains("\"exit_code\":4"));

  CHECK_THAT(served.run({"call", "v9.Nothing/Do"}).errors,
             StartsWith("NOT_FOUND: ") && Contains("longshorectl services"));
  const auto no_method = served.run({"call", kEcho + "Shout"});
  CHECK(no_method.exit_code == 4);
  CHECK_THAT(no_method.errors, StartsWith("NOT_FOUND: ") && Contains("SayAtOnce"));

  const auto late =
      served.run({"call", kEcho + "Wait", R"({"milliseconds": 60000})", "--timeout", "50ms"});
  CHECK(late.exit_code == 4);
  CHECK_THAT(late.errors, StartsWith("DEADLINE_EXCEEDED: "));
}

TEST_CASE("wrong usage has an exit code of its own") {
  const Served served;
  const auto words = GENERATE(values<std::vector<std::string>>({
      {},
      {"stauts"},
      {"call"},
      {"call", "Say"},
      {"status", "--timeout", "soon"},
      {"status", "--output", "xml"},
      {"config"},
      {"config", "sample", "file.toml"},
  }));
  const auto run = served.run(words);
  CHECK(run.exit_code == 1);
  CHECK(run.output.empty());
  CHECK_FALSE(run.errors.empty());
}

TEST_CASE("the exit codes are documented") {
  const auto run = run_program({built_program("longshorectl"), "--help"});
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.output, Contains("Exit codes:") && Contains("  4  "));
}

TEST_CASE("an agent that cannot be reached is told") {
  const AgentDirectory directory;
  const auto missing = run_at(directory.control_socket(), {"status"});
  CHECK(missing.exit_code == 3);
  CHECK_THAT(missing.errors,
             Contains(directory.control_socket()) && Contains("is longshored running"));
  const auto json = run_at(directory.control_socket(), {"status", "--output", "json"});
  CHECK(json.exit_code == 3);
  CHECK_THAT(json.errors, StartsWith("{") && Contains("\"exit_code\":3"));
  CHECK(run_at("/tmp/" + std::string(200, 'x'), {"status"}).exit_code == 3);
  CHECK(run_at(directory.control_socket(), {"config", "diff"}).exit_code == 3);
}

TEST_CASE("files are checked and shown without an agent") {
  const AgentDirectory directory;
  const auto good = config(directory, {"check"});
  CHECK(good.exit_code == 0);
  CHECK_THAT(good.output, Contains("no findings"));
  const auto shown = config(directory, {"show", "--origin"});
  CHECK(shown.exit_code == 0);
  CHECK_THAT(shown.output, Contains("agent.toml:2") && Contains("# default"));
  CHECK_THAT(config(directory, {"show"}).output, !Contains("# default"));
  CHECK_THAT(config(directory, {"show", "--output=json"}).output,
             StartsWith("{\"toml\":\"[agent]"));

  const fs::path more = fs::path(directory.config_file()).parent_path() / "conf.d";
  fs::create_directory(more);
  write_file(more / "10-deny.toml",
             "[modules.filesystem]\ndeny_methods = [\"v1.Filesystem/Rmdir\"]\n");
  const auto warned = config(directory, {"check"});
  CHECK(warned.exit_code == 0);
  CHECK_THAT(warned.output, Contains("no findings, 1 warning"));
  CHECK_THAT(warned.errors, StartsWith("warning: " + (more / "10-deny.toml:2:17: ").string()) &&
                                Contains("\"v1beta2.Filesystem/Rmdir\""));
  CHECK_THAT(warned.errors, !Contains("whole configuration"));
  const auto part = run_at(directory.control_socket(), {"config", "check", "--module-dir",
                                                        built_modules(), more / "10-deny.toml"});
  CHECK_THAT(part.errors, StartsWith("warning: " + (more / "10-deny.toml").string()) &&
                              Contains("is taken as a whole configuration"));
  const auto warned_json = config(directory, {"check", "--output=json"});
  CHECK(warned_json.exit_code == 0);
  CHECK_THAT(warned_json.output, Contains("\"ok\":true") && Contains("\"findings\":[]") &&
                                     Contains("\"warnings\":[\"" + more.string()));

  directory.configure("[agnet]\nx = 1\n");
  const auto faulty = config(directory, {"check"});
  CHECK(faulty.exit_code == 2);
  CHECK_THAT(faulty.errors, Contains(directory.config_file() + ":") && Contains("agnet"));
  const auto json = config(directory, {"check", "--output=json"});
  CHECK(json.exit_code == 2);
  CHECK_THAT(json.output, Contains("\"ok\":false") && Contains("agnet"));
  CHECK(config(directory, {"show"}).exit_code == 2);
  CHECK(run_at(directory.control_socket(), {"config", "check", "/nowhere.toml"}).exit_code == 2);
  const auto of_two = config(directory, {"check", "--module-dir", built_modules(), "other.toml"});
  CHECK(of_two.exit_code == 1);
  CHECK_THAT(of_two.errors, Contains("--config excludes FILE"));
  const auto named = run_at(directory.control_socket(),
                            {"config", "check", "--module-dir", built_modules(), "/nowhere.toml"});
  CHECK(named.exit_code == 2);
  CHECK_THAT(named.output + named.errors, Contains("/nowhere.toml"));
}

TEST_CASE("differences of the file and the running agent are shown, then applied") {
  const Served served;
  const AgentDirectory& directory = served.directory;
  const auto alike = config(directory, {"diff"});
  CHECK(alike.exit_code == 0);
  CHECK_THAT(alike.output, Equals(""));
  CHECK_THAT(served.run({"reload"}).output, Equals("nothing has changed\n"));

  directory.configure({}, "max_concurrent_calls = 3\n");
  const auto changed = config(directory, {"diff"});
  CHECK_THAT(changed.output, Equals("- modules.echo.max_concurrent_calls = 16\n"
                                    "+ modules.echo.max_concurrent_calls = 3\n"));
  CHECK_THAT(config(directory, {"diff", "--output=json"}).output, StartsWith("{\"changes\":["));
  const auto reload = served.run({"reload"});
  CHECK(reload.exit_code == 0);
  CHECK_THAT(reload.output, Contains("max_concurrent_calls"));
  CHECK_THAT(config(directory, {"diff"}).output, Equals(""));

  directory.configure({}, "max_concurrent_calls = 0\n");
  const auto refused = served.run({"reload"});
  CHECK(refused.exit_code == 4);
  CHECK_THAT(refused.errors, Contains("max_concurrent_calls"));
  CHECK(served.run({"call", kEcho + "Say"}).exit_code == 0);
}

TEST_CASE("the sample of the modules that are shipped is the file in the repository") {
  const TemporaryDirectory modules;
  for (const char* name : {"longshore-disk.so", "longshore-filesystem.so", "longshore-iscsi.so",
                           "longshore-smb.so", "longshore-system.so", "longshore-volume.so"}) {
    fs::copy_file(fs::path(built_modules()) / name, modules / name);
  }
  const auto run = run_program(
      {built_program("longshorectl"), "config", "sample", "--module-dir", modules.path().string()});
  CHECK(run.exit_code == 0);
  std::ifstream file(source_tree() + "/config/agent.toml");
  const std::string expected{std::istreambuf_iterator<char>(file), {}};
  CHECK_THAT(run.output, Equals(expected));
}
