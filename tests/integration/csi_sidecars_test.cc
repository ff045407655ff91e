// csi-sidecars as a process: its controllers by their flags, before a CSI driver of the gRPC C++
// library.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "longshore/linux/file_descriptor.hpp"
#include "tests/integration/csi_driver_process.h"
#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"
#include "tests/support/held_port.h"
#include "tests/support/http_connection.h"
#include "tests/support/process_status.h"
#include "tests/support/program_run.h"

using namespace longshore;
using namespace longshore::test;

namespace {

std::vector<std::string> csi_sidecars(const std::vector<std::string>& flags) {
  std::vector<std::string> words = {built_program("csi-sidecars"), "--module-dir", built_modules()};
  words.insert(words.end(), flags.begin(), flags.end());
  return words;
}

std::vector<std::string> livenessprobe_of(const Driver& driver, const AgentDirectory& directory) {
  return {"--controllers=livenessprobe", "--csi-address=" + driver.socket,
          "--http-endpoint=127.0.0.1:0", "--probe-timeout=1m",
          "--run-dir=" + (directory / "sidecars")};
}

// That was free a moment ago.
uint16_t free_port() {
  const FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  REQUIRE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0);
  REQUIRE(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
  return ntohs(address.sin_port);
}

// What is mapped into the process.
std::string maps_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/maps");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("csi-sidecars answers /healthz as the driver does, until it is told to end") {
  AgentDirectory directory;
  Driver driver(directory);
  driver.run();
  std::vector<std::string> flags = livenessprobe_of(driver, directory);
  const std::string http = directory / "http.sock";
  flags.push_back("--metrics-address=unix://" + http);
  // As the sidecar's own flag it excludes the other.
  std::ranges::replace(flags, "--http-endpoint=127.0.0.1:0",
                       "--livenessprobe-http-endpoint=127.0.0.1:0");
  AgentProcess sidecars(directory, {.command = csi_sidecars(flags)});
  INFO(directory.log());
  REQUIRE(sidecars.serves());
  CHECK(http_get(port_of(directory), "/healthz").status == 200);
  // None of its controllers asks an API server.
  CHECK_THAT(maps_of(sidecars.id()), Catch::Contains("longshore") &&
                                         !Catch::Contains("libcrypto") &&
                                         !Catch::Contains("libyaml"));
  const ProgramRun controllers =
      run_program({built_program("longshorectl"), "--socket",
                   directory / "sidecars/control/control.sock", "controllers"});
  CHECK_THAT(controllers.output,
             Catch::Contains("\nlivenessprobe") && Catch::Contains(" serving "));
  CHECK_THAT(run_program({built_program("longshorectl"), "--socket",
                          directory / "sidecars/control/control.sock", "status"})
                 .output,
             Catch::Contains("  csi-sidecars' flags\n"));
  CHECK(eventually([&] {
    CHECK(http_get(port_of(directory), "/healthz").status == 200);
    return HttpConnection(http)
               .get("/metrics")
               .body.find(
                   "csi_sidecar_operations_seconds_count{driver_name=\"test.csi.example\","
                   "grpc_status_code=\"OK\",method_name=\"/csi.v1.Identity/Probe\"} ") !=
           std::string::npos;
  }));
  REQUIRE(sidecars.reload());
  CHECK(http_get(port_of(directory), "/healthz").status == 200);
  driver.kill();
  CHECK(http_get(port_of(directory), "/healthz").status == 500);
  CHECK(sidecars.stop() == 0);
}

TEST_CASE("csi-sidecars answers /healthz and /metrics at one address, as the livenessprobe does") {
  AgentDirectory directory;
  Driver driver(directory);
  driver.run();
  std::vector<std::string> flags = livenessprobe_of(driver, directory);
  const uint16_t port = free_port();
  std::ranges::replace(flags, "--http-endpoint=127.0.0.1:0",
                       "--http-endpoint=127.0.0.1:" + std::to_string(port));
  flags.push_back("--metrics-path=/custom");
  AgentProcess sidecars(directory, {.command = csi_sidecars(flags)});
  INFO(directory.log());
  REQUIRE(sidecars.serves());
  CHECK(port_of(directory) == port);
  CHECK(http_get(port, "/healthz").body == "ok");
  CHECK(http_get(port, "/custom").body.find("csi_sidecar_operations_seconds_count") !=
        std::string::npos);
  CHECK(http_get(port, "/metrics").status == 404);
  driver.kill();
  CHECK(http_get(port, "/healthz").status == 500);
  CHECK(sidecars.stop() == 0);
}

TEST_CASE("csi-sidecars runs two controllers before one driver") {
  AgentDirectory directory;
  Driver driver(directory);
  driver.run();
  const std::string folder = directory / "plugins_registry";
  REQUIRE(std::filesystem::create_directory(folder));
  AgentProcess sidecars(
      directory,
      {.command = csi_sidecars(
           {"--controllers=*", "--csi-address=" + driver.socket, "--timeout=1m",
            "--livenessprobe-http-endpoint=127.0.0.1:0", "--probe-timeout=1m",
            "--kubelet-registration-path=/var/lib/kubelet/plugins/disk.example.com/csi.sock",
            "--plugin-registration-path=" + folder, "--run-dir=" + (directory / "sidecars")})});
  INFO(directory.log());
  REQUIRE(sidecars.serves());
  CHECK(http_get(port_of(directory), "/healthz").status == 200);
  CHECK(eventually([&] { return !std::filesystem::is_empty(folder); }));
  CHECK(sidecars.stop() == 0);
  CHECK(std::filesystem::is_empty(folder));
}

namespace {

// Of a server that is not there.
std::string write_kubeconfig(const AgentDirectory& directory, const std::string& server) {
  std::string file = directory / "kubeconfig";
  std::ofstream(file) << R"({"current-context": "c",
      "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
      "clusters": [{"name": "c", "cluster": {"server": ")" +
                             server + R"("}}], "users": [{"name": "u", "user": {"token": "t"}}]})";
  std::filesystem::permissions(file, std::filesystem::perms::owner_read);
  return file;
}

}  // namespace

TEST_CASE("csi-sidecars runs external-attacher, which waits for driver and API server") {
  AgentDirectory directory;
  Driver driver(directory);
  driver.controller = {"--volumes", directory / "volumes"};
  const std::string server = "https://127.0.0.1:" + std::to_string(free_port());
  AgentProcess sidecars(
      directory,
      {.command = csi_sidecars({"--controllers=external-attacher", "--csi-address=" + driver.socket,
                                "--kubeconfig=" + write_kubeconfig(directory, server),
                                "--run-dir=" + (directory / "sidecars")})});
  INFO(directory.log());
  REQUIRE(sidecars.serves());
  const auto tells = [&](const std::string& state, const std::string& reason) {
    const std::string told =
        run_program({built_program("longshorectl"), "--socket",
                     directory / "sidecars/control/control.sock", "controllers"})
            .output;
    return told.find(state) != std::string::npos && told.find(reason) != std::string::npos;
  };
  CHECK(eventually([&] {
    return tells("waiting", "cannot connect to the CSI driver at \"" + driver.socket + '"');
  }));
  driver.run();
  const std::string reason =
      "waits for the API server: cannot reach the API server \"" + server + '"';
  CHECK(eventually([&] { return tells("degraded", reason); }));
  // Once, though three watches say so.
  for (const char* const resource : {"volumeattachments", "persistentvolumes", "csinodes"}) {
    CHECK(eventually(
        [&] { return directory.log().find("/v1/" + std::string(resource)) != std::string::npos; }));
  }
  CHECK_FALSE(tells("degraded", "; waits for the API server"));
  CHECK(sidecars.stop() == 0);
}

TEST_CASE("what csi-sidecars prints of external-attacher longshored takes") {
  AgentDirectory directory;
  const ProgramRun printed =
      run_program(csi_sidecars({"--controllers=external-attacher", "--csi-address=/csi/csi.sock",
                                "--kubeconfig=" + (directory / "kubeconfig"), "--print-config"}));
  CHECK(printed.errors.empty());
  CHECK_THAT(printed.output,
             Catch::Contains("\"longshore.host.v1.Kube/Patch\"") &&
                 Catch::Contains("wait_for_driver = \"/csi/csi.sock\"\n") &&
                 Catch::Contains("kubeconfig = \"" + (directory / "kubeconfig") + "\"\n") &&
                 Catch::Contains("kube_grants.status]\napi_groups = [\"storage.k8s.io\"]\n"
                                 "resources = [\"volumeattachments/status\"]\n"
                                 "verbs = [\"patch\"]\n"));
  directory.write_configuration(printed.output);
  const ProgramRun checked =
      run_program({built_program("longshored"), "--check", "--config", directory.config_file()});
  CHECK(checked.errors.empty());
  CHECK(checked.exit_code == 0);
}

TEST_CASE("the configuration that csi-sidecars prints is what longshored runs the same with") {
  AgentDirectory directory;
  Driver driver(directory);
  driver.run();
  std::vector<std::string> flags = livenessprobe_of(driver, directory);
  flags.insert(flags.end(), {"--print-config", "--automaxprocs", "-v=5"});
  const ProgramRun printed = run_program(csi_sidecars(flags));
  CHECK(printed.exit_code == 0);
  CHECK(printed.errors ==
        "csi-sidecars: warning: the flag --automaxprocs does nothing: it is taken for the sake of "
        "manifests that have it\n");
  directory.write_configuration(printed.output);
  AgentProcess agent(directory);
  INFO(directory.log());
  REQUIRE(agent.serves());
  CHECK(http_get(port_of(directory), "/healthz").status == 200);
  driver.kill();
  CHECK(http_get(port_of(directory), "/healthz").status == 500);
  CHECK(agent.stop() == 0);
}

TEST_CASE("csi-sidecars takes the flags that the manifest in deploy has for it") {
  std::ifstream manifest(source_tree() + "/deploy/kubernetes/node/daemonset.yaml");
  std::vector<std::string> flags = {"--print-config"};
  const std::string flag = "            - --";
  bool is_its_own = false;
  for (std::string line; std::getline(manifest, line);) {
    if (line.starts_with("        - name: ")) is_its_own = line.ends_with(" csi-sidecars");
    if (is_its_own && line.starts_with(flag)) flags.push_back(line.substr(flag.size() - 2));
  }
  REQUIRE(flags.size() > 3);
  const ProgramRun run = run_program(csi_sidecars(flags));
  CHECK(run.errors.empty());
  CHECK_THAT(run.output, Catch::Contains("csi_address = \"/csi/csi.sock\"") &&
                             Catch::Contains("allow_remote = true"));
  CHECK(run.exit_code == 0);
}

TEST_CASE("csi-sidecars ends with a controller whose flags are wrong, and says which") {
  struct Case {
    std::vector<std::string> flags;
    std::string text;
  };
  const auto [flags, text] = GENERATE(values<Case>({
      {{"--controllers=livenessprobe", "--csi-address=127.0.0.1:50051"},
       "csi-sidecars: cannot start the module \"livenessprobe\": cannot use the CSI driver's "
       "address \"127.0.0.1:50051\": it is a TCP address"},
      {{"--controllers=livenessprobe", "--health-port=9810"},
       "cannot serve /healthz at --http-endpoint \"127.0.0.1:0\": --health-port is set too; leave "
       "out --health-port"},
      {{"--controllers=node-driver-registrar", "--kubelet-registration-path=csi.sock"},
       "cannot use the --kubelet-registration-path \"csi.sock\": it is not the absolute path"},
      {{"--controllers=node-driver-registrar", "--kubelet-registration-path=/csi.sock",
        "--plugin-registration-path=here"},
       "cannot use the --plugin-registration-path \"here\": it is not an absolute path"},
  }));
  AgentDirectory directory;
  std::vector<std::string> words = flags;
  words.insert(words.end(),
               {"--http-endpoint=127.0.0.1:0", "--run-dir=" + (directory / "sidecars")});
  const ProgramRun run = run_program(csi_sidecars(words));
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.errors, Catch::Contains(text));
}

TEST_CASE("csi-sidecars ends at once, with a sentence, where it cannot run what it is told to") {
  struct Case {
    std::vector<std::string> flags;
    int exit_code;
    std::string text;
  };
  const auto [flags, exit_code, text] = GENERATE(values<Case>({
      {{"--controllers=nonesuch"}, 2, "there is no controller \"nonesuch\"; installed are: "},
      {{"--controllers=external-attacher", "--csi-address=127.0.0.1:50051"},
       2,
       "cannot use the CSI driver's address \"127.0.0.1:50051\": it is a TCP address"},
      {{"--controllers=livenessprobe", "--probe-timeout=soon"}, 2, "\"soon\" is no duration"},
      {{"--controllers=livenessprobe", "--metrics-address=unix://socket"},
       2,
       "cannot use the flag \"--metrics-address\": \"unix://socket\" is no IP address and port"},
      // Which only the configuration's reader refuses.
      {{"--controllers=livenessprobe", "--metrics-address=unix:///x/control/a", "--run-dir=/x"},
       2,
       "agent.http has its socket beneath"},
      {{"--controllers=livenessprobe", "--run-dir=/tmp/" + std::string(90, 'x')},
       3,
       "the control socket's path has 116 bytes, and that of a socket 107 at most; name a folder "
       "with --run-dir"},
      {{"--controllers=livenessprobe", "--run-dir=/proc/sidecars"},
       3,
       "cannot keep sockets and state in \"/proc/sidecars\""},
  }));
  const ProgramRun run = run_program(csi_sidecars(flags));
  CHECK(run.exit_code == exit_code);
  CHECK(run.output.empty());
  CHECK_THAT(run.errors, Catch::StartsWith("csi-sidecars: ") && Catch::Contains(text));
}

TEST_CASE("csi-sidecars --check tells what of a start is right, and starts nothing") {
  AgentDirectory directory;
  Driver driver(directory);
  driver.run();
  std::vector<std::string> flags = livenessprobe_of(driver, directory);
  flags.insert(flags.end(), {"--check", "--automaxprocs"});
  const auto check = [&] { return run_program(csi_sidecars(flags)); };
  ProgramRun run;
  CHECK(eventually([&] {
    run = check();
    return run.exit_code == 0;
  }));
  CHECK(run.output ==
        "warning: the flag --automaxprocs does nothing: it is taken for the sake of manifests that "
        "have it\n"
        "ok: the flags, and the configuration that they make\n"
        "ok: the run dir \"" +
            directory / "sidecars" +
            "\"\n"
            "ok: the CSI driver at \"" +
            driver.socket + "\" is ready, and is called test.csi.example\n");
  CHECK(run.errors.empty());
  CHECK(std::filesystem::is_empty(directory / "sidecars"));

  driver.answer("not-ready");
  run = check();
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.output, Catch::Contains("wrong: the CSI driver at \"" + driver.socket +
                                         "\" is not ready; see in its log what it waits for\n"));
  driver.kill();
  run = check();
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.output, Catch::Contains("wrong: cannot connect to the CSI driver at \"" +
                                         driver.socket + "\": "));
}

TEST_CASE("csi-sidecars --check tells of a port that is taken") {
  AgentDirectory directory;
  HeldPort taken;
  taken.listen();
  const HeldPort held;
  const std::string& port = taken.number();
  const std::string free = "127.0.0.1:" + held.number();
  const auto check = [&](const std::string& metrics, const std::string& health) {
    CAPTURE(metrics, health);
    const ProgramRun run = run_program(
        csi_sidecars({"--check", "--controllers=livenessprobe", "--metrics-address=" + metrics,
                      "--livenessprobe-" + health, "--csi-address=" + (directory / "absent"),
                      "--run-dir=" + (directory / "sidecars")}));
    CHECK(run.exit_code == 1);
    const std::string flag = metrics == free ? "livenessprobe-" + health : "metrics-address";
    CHECK_THAT(run.output,
               Catch::Contains("\nok: the port of " + free + " is free\n") &&
                   Catch::Contains("\nwrong: cannot listen for HTTP on \"") &&
                   Catch::Contains(":" + port + "\": Address already in use; choose another --" +
                                   flag.substr(0, flag.find('=')) + '\n'));
  };
  check("127.0.0.1:" + port, "http-endpoint=" + free);
  check(free, "http-endpoint=:" + port);
  check(free, "health-port=" + port);
}

TEST_CASE("csi-sidecars --check beside one that runs tells whose the run dir is") {
  AgentDirectory directory;
  Driver driver(directory);
  driver.run();
  std::vector<std::string> flags = livenessprobe_of(driver, directory);
  const std::string port = std::to_string(free_port());
  std::ranges::replace(flags, "--http-endpoint=127.0.0.1:0", "--http-endpoint=127.0.0.1:" + port);
  AgentProcess sidecars(directory, {.command = csi_sidecars(flags)});
  INFO(directory.log());
  REQUIRE(sidecars.serves());
  flags.emplace_back("--check");
  const ProgramRun run = run_program(csi_sidecars(flags));
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.output, Catch::Contains("\nwarning: process " + std::to_string(sidecars.id()) +
                                         " has the run dir \"" + directory / "sidecars" + "\": ") &&
                             Catch::Contains("\nok: the CSI driver at ") && !Catch::Contains(port));
}

TEST_CASE("csi-sidecars --check waits for a driver that is on its way") {
  AgentDirectory directory;
  Driver driver(directory);
  std::vector<std::string> flags = livenessprobe_of(driver, directory);
  flags.emplace_back("--check");
  // Where the machine is so busy that the driver comes too late, once more.
  CHECK(eventually([&] {
    driver.kill();
    std::filesystem::remove(directory.log_file());
    AgentProcess check(directory, {.command = csi_sidecars(flags), .until_serving = false});
    eventually([&] { return directory.log().find("ok: the run dir ") != std::string::npos; });
    driver.run();
    return check.wait() == 0;
  }));
}

TEST_CASE("csi-sidecars --check that is told to end has not found all right") {
  AgentDirectory directory;
  Driver driver(directory);
  driver.run();
  driver.answer("hang");
  std::vector<std::string> flags = livenessprobe_of(driver, directory);
  flags.emplace_back("--check");
  const auto handles = [](pid_t process, int number) {
    const std::string caught = proc_status(process, "SigCgt");
    return !caught.empty() && (std::stoull(caught, nullptr, 16) >> (number - 1) & 1) != 0;
  };
  bool handles_both = false;
  // Where the machine is so busy that it has ended before, once more.
  CHECK(eventually([&] {
    const size_t probes = driver.count("probe");
    AgentProcess check(directory, {.command = csi_sidecars(flags), .until_serving = false});
    eventually([&] { return driver.count("probe") > probes; });
    // Without a handler the first process of a container would not end.
    handles_both = handles(check.id(), SIGTERM) && handles(check.id(), SIGINT);
    return check.stop() == 128 + SIGTERM;
  }));
  CHECK(handles_both);
}

TEST_CASE("csi-sidecars --check tells of each part that is wrong, in its order") {
  AgentDirectory directory;
  const auto check = [&](std::vector<std::string> flags) {
    flags.insert(flags.end(), {"--check", "--run-dir=" + (directory / "sidecars")});
    const ProgramRun run = run_program(csi_sidecars(flags));
    CHECK(run.exit_code == 1);
    CHECK(run.errors.empty());
    return run.output;
  };
  CHECK_THAT(check({"--controllers=livenessprobe", "--probe-timeout=soon"}),
             Catch::StartsWith("wrong: cannot use the flag \"--probe-timeout\": ") &&
                 Catch::Contains("\"soon\" is no duration"));
  // Which the controller refuses at its start.
  CHECK_THAT(check({"--controllers=livenessprobe", "--csi-address=127.0.0.1:50051"}),
             Catch::Contains("wrong: cannot use the CSI driver's address \"127.0.0.1:50051\": "));
  // Which only the configuration's reader refuses.
  CHECK_THAT(check({"--controllers=livenessprobe",
                    "--metrics-address=unix://" + (directory / "sidecars/control/a")}),
             Catch::StartsWith("wrong: ") && Catch::Contains("agent.http has its socket beneath"));
  const std::string server = "https://127.0.0.1:" + std::to_string(free_port());
  const std::string attacher =
      check({"--controllers=external-attacher", "--csi-address=" + (directory / "absent"),
             "--leader-election", "--kubeconfig=" + write_kubeconfig(directory, server)});
  CHECK_THAT(attacher, Catch::Contains("\nwrong: cannot connect to the CSI driver at \"" +
                                       directory / "absent" + "\": ") &&
                           Catch::Contains("\nok: the kubeconfig \"" + directory / "kubeconfig") &&
                           Catch::Contains("\nwrong: cannot reach the API server \"" + server) &&
                           Catch::EndsWith("\nnot checked: what the API server allows\n"));
}

TEST_CASE("csi-sidecars lists the flags of what is installed, and tells its version") {
  const ProgramRun help = run_program(csi_sidecars({"--help"}));
  CHECK(help.exit_code == 0);
  CHECK_THAT(help.output, Catch::Contains("  --livenessprobe-probe-timeout\n"
                                          "      (duration, default \"3s\") How long"));
  const ProgramRun version = run_program(csi_sidecars({"--version"}));
  CHECK(version.exit_code == 0);
  CHECK_THAT(version.output, Catch::StartsWith("csi-sidecars 0."));
}
