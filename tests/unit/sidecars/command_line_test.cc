// csi-sidecars' flags, as manifests have them, and the configuration that becomes of them.
#include "sidecars/command_line.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "config/load.h"
#include "main/described_services.h"
#include "tests/unit/sidecars/made_up_controllers.h"

namespace longshore::sidecars {
namespace {

using Words = std::vector<std::string>;

const InstalledControllers kInstalled = test::made_up_controllers();

Result<CommandLine> parse(const Words& words) { return parse_command_line(words, kInstalled); }

// Of a livenessprobe alone, with more flags.
CommandLine line_of(Words words) {
  words.insert(words.begin(), "--controllers=livenessprobe");
  auto line = parse(words);
  INFO((line ? "" : line.error().message()));
  REQUIRE(line);
  return *std::move(line);
}

// The last part of what is made of the words: of the controllers.
std::string controllers_of(const Words& words) {
  const auto line = parse(words);
  if (!line) return line.error().message();
  const std::string before = "csi_proxy = false\n";
  return line->configuration.substr(line->configuration.find(before) + before.size());
}

std::string error_of(const Words& words) {
  const auto line = parse(words);
  if (line) return "no error";
  CHECK(line.error().code() == StatusCode::kInvalidArgument);
  return line.error().message();
}

TEST_CASE("one controller without flags has what it may call, and its own defaults") {
  CHECK(controllers_of({"--controllers=livenessprobe"}) == R"(
[controllers.livenessprobe]
may_call = ["longshore.host.v1.Csi/CallIdentity"]
)");
}

// What is installed, and all that longshored serves itself.
class InstalledCatalog final : public config::ModuleCatalog {
 public:
  explicit InstalledCatalog(const InstalledControllers& installed) : installed_(installed) {}
  config::HostServiceNames host_services() const override {
    return described_services().value().all->names();
  }
  Result<config::ModuleSchema> describe(const config::ModuleSettings& module,
                                        const config::AgentSettings&) override {
    return installed_.described.at(module.name);
  }

 private:
  const InstalledControllers& installed_;
};

TEST_CASE("a controller that would call what is for endpoints only is refused") {
  InstalledControllers installed = kInstalled;
  installed.described["vendors"].calls = {"longshore.host.v1.Csi/Call",
                                          "longshore.admin.v1.Admin/Reload"};
  InstalledCatalog catalog(installed);
  const auto loaded = [&](const std::string& controllers) {
    const auto line = parse_command_line({"--controllers=" + controllers}, installed);
    return config::load_text(line.value().configuration, "flags", catalog);
  };
  CHECK(loaded("livenessprobe"));
  const auto refused = loaded("livenessprobe,vendors");
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message(),
             Catch::Contains(R"("controllers.vendors.may_call" names "longshore.admin.v1.Admin)"
                             R"(/Reload", which the agent serves to endpoints only)"));
}

TEST_CASE("the sidecar's own command line works with its controller named") {
  CHECK(controllers_of({"--controllers", "livenessprobe", "-csi-address=/csi/csi.sock",
                        "--probe-timeout", "1m30s", "--health-port=9900"}) == R"(
[controllers.livenessprobe]
may_call = ["longshore.host.v1.Csi/CallIdentity"]

[controllers.livenessprobe.settings]
csi_address = "/csi/csi.sock"
health_port = 9900
probe_timeout = "90s"
)");
}

#if !defined(_WIN32)
TEST_CASE("the rest is one folder, a log on standard error, and no sockets of csi-proxy's") {
  CHECK_THAT(line_of({}).configuration,
             Catch::StartsWith(R"(# Made by csi-sidecars from its command line.
[agent]
run_dir = "/run/csi-sidecars/sockets"
control_dir = "/run/csi-sidecars/control"
state_dir = "/run/csi-sidecars/state"

[agent.log]
level = "info"
format = "text"

[endpoints]
csi_proxy = false
)"));
  CHECK(line_of({}).run_dir == "/run/csi-sidecars");
  const CommandLine moved = line_of({"--run-dir=/x/../y", "--module-dir=/a", "-module-dir", "/b"});
  CHECK(moved.run_dir == "/y");
  CHECK_THAT(moved.configuration, Catch::Contains("state_dir = \"/y/state\"\n"));
  CHECK_THAT(moved.configuration,
             Catch::Contains(R"(module_dirs = ["/a", "/b", "/usr/lib/longshore"])"));
}
#endif

TEST_CASE("a generic flag means each controller that has the option, a prefixed one wins") {
  const Words words = GENERATE(Words{"--controllers=livenessprobe,resizer", "--csi-address=/a",
                                     "--resizer-csi-address=/b", "--timeout=30s"},
                               Words{"--timeout=30s", "--resizer-csi-address", "/b",
                                     "--csi-address", "/a", "--controllers=resizer,livenessprobe"});
  CHECK(controllers_of(words) == R"(
[controllers.livenessprobe]
may_call = ["longshore.host.v1.Csi/CallIdentity"]

[controllers.livenessprobe.settings]
csi_address = "/a"

[controllers.resizer]
may_call = []

[controllers.resizer.settings]
csi_address = "/b"
timeout = "30s"
)");
}

TEST_CASE("--check is found among flags that are wrong, too") {
  CHECK(line_of({"--check"}).check);
  CHECK_FALSE(line_of({"--check=false"}).check);
  CHECK(asks_for_check({"--xyzzy", "-check"}));
  CHECK(asks_for_check({"--check=true", "--run-dir="}));
  for (const Words& words : {Words{}, Words{"--check=false"}, Words{"check"}}) {
    CHECK_FALSE(asks_for_check(words));
  }
}

TEST_CASE("values are read by their type as Go reads them, the last of a flag counts") {
  CHECK_THAT(controllers_of({"--controllers=resizer", "--ratio=50", "--leader-election",
                             "--leader-election-labels=a:b,c:d", "--handle-inuse-error=F",
                             "--level=low", "--level=high", "--timeout=1.5h"}),
             Catch::EndsWith(R"(timeout = "90m"
ratio = 50.0
leader_election = true
leader_election_labels = ["a:b", "c:d"]
handle_inuse_error = false
level = "high"
)"));
}

#if !defined(_WIN32)
TEST_CASE("a controller of the API server's objects has its grants, its driver and a kubeconfig") {
  const auto line = parse({"--controllers=attacher", "--csi-address=unix:/csi/csi.sock",
                           "--kubeconfig=/etc/kubernetes/a.conf", "--attacher-timeout=30s",
                           "--kube-api-qps=0.5", "--kube-api-burst", "100"});
  REQUIRE(line);
  CHECK(line->warnings.empty());
  CHECK_THAT(line->configuration,
             Catch::Contains("[agent.kube]\nkubeconfig = \"/etc/kubernetes/a.conf\"\n"
                             "api_qps = 0.5\napi_burst = 100\n") &&
                 Catch::EndsWith(R"(
[controllers.attacher]
may_call = ["longshore.host.v1.Kube/Watch"]
max_concurrent_calls = 24
wait_for_driver = "unix:/csi/csi.sock"

[controllers.attacher.kube_grants.status]
api_groups = ["storage.k8s.io"]
resources = ["volumeattachments/status"]
verbs = ["patch"]

[controllers.attacher.kube_grants.volumes]
api_groups = [""]
resources = ["persistentvolumes"]
verbs = ["list", "watch"]

[controllers.attacher.settings]
csi_address = "unix:/csi/csi.sock"
timeout = "30s"
)"));
  const auto in_pod = parse({"--controllers=attacher", "--kubeconfig=", "--worker-threads=100",
                             "--kube-api-qps=0", "--kube-api-burst=0"});
  REQUIRE(in_pod);
  CHECK(in_pod->warnings.empty());
  CHECK_THAT(in_pod->configuration,
             Catch::Contains("max_concurrent_calls = 204\n") &&
                 Catch::Contains("wait_for_driver = \"/run/csi/socket\"\n") &&
                 !Catch::Contains("[agent.kube]"));
}
#endif

TEST_CASE("an attacher's flags that do nothing are taken, and say why") {
  const auto [flag, text] = GENERATE(table<std::string, std::string>({
      {"--resync=10m", "--resync does nothing: no change of an object is lost here"},
      {"--leader-election-lease-duration=15s",
       "--leader-election-lease-duration does nothing: --leader-election is not given"},
      {"--feature-gates=ReleaseLeaderElectionOnExit=true",
       "--feature-gates=ReleaseLeaderElectionOnExit does nothing: --leader-election is not given"},
      {"--feature-gates=MutableCSINodeAllocatableCount=true",
       "no enabled controller has such a gate"},
      {"--max-grpc-log-length=100", "--max-grpc-log-length does nothing"},
  }));
  CAPTURE(flag);
  const auto line = parse({"--controllers=attacher", flag});
  REQUIRE(line);
  REQUIRE(line->warnings.size() == 1);
  CHECK_THAT(line->warnings.front(), Catch::Contains(text));
  CHECK(parse({"--controllers=attacher", "--leader-election=false"})->warnings.empty());
}

TEST_CASE("limits of requests are numbers, and of no use where nobody asks the API server") {
  CHECK_THAT(error_of({"--controllers=attacher", "--kube-api-qps=many"}),
             Catch::Contains(R"(the flag "--kube-api-qps": "many" is no number)"));
  CHECK_THAT(error_of({"--controllers=attacher", "--kube-api-qps=-1"}),
             Catch::Contains("is not between 0 and 10000"));
  CHECK_THAT(error_of({"--controllers=attacher", "--kube-api-burst=1.5"}),
             Catch::Contains(R"("1.5" is no whole number)"));
  const auto line = parse({"--controllers=vendors", "--kube-api-qps=5", "--kube-api-burst=5"});
  REQUIRE(line);
  REQUIRE(line->warnings.size() == 2);
  CHECK_THAT(line->warnings.front(),
             Catch::Contains("--kube-api-qps does nothing: no enabled controller asks the API "));
}

TEST_CASE("controllers are chosen as kube-controller-manager chooses them") {
  struct Case {
    std::string list;
    std::vector<std::string> chosen;
  };
  const auto [list, chosen] = GENERATE(values<Case>({
      {"livenessprobe", {"livenessprobe"}},
      {"resizer,livenessprobe,", {"livenessprobe", "resizer"}},
      {"*", {"livenessprobe", "node-driver-registrar"}},
      {"*,-node-driver-registrar,resizer", {"livenessprobe", "resizer"}},
      {"-livenessprobe,*,vendors", {"node-driver-registrar", "vendors"}},
      {"resizer,-resizer", {"resizer"}},
  }));
  CAPTURE(list);
  const auto found = chosen_controllers(list, kInstalled);
  REQUIRE(found);
  CHECK(*found == chosen);
}

TEST_CASE("controllers that are not there are refused with those that are") {
  const auto [list, text] = GENERATE(table<std::string, std::string>({
      {"", "installed are: attacher, livenessprobe, node-driver-registrar, resizer, vendors"},
      {",", "installed are: attacher, livenessprobe"},
      {"-resizer", "that is none"},
      {"livenesprobe", R"(there is no controller "livenesprobe"; did you mean "livenessprobe"?)"},
      {"livenessprobe,frobnicator",
       R"(no controller "frobnicator"; installed are: attacher, livenessprobe)"},
      {"*,-frobnicator", "no controller \"frobnicator\""},
      {"broken", "cannot open the module \"/m/longshore-broken.so\""},
      {"LIVENESSPROBE", "there is no controller"},
      {"**", "there is no controller \"**\""},
  }));
  CAPTURE(list);
  CHECK_THAT(error_of({"--controllers=" + list}), Catch::Contains(text));
}

TEST_CASE("no controllers at all are an error") {
  CHECK_THAT(error_of({}), Catch::Contains("none is named, as the flag --controllers=LIST does it; "
                                           "installed are: attacher, livenessprobe"));
  CHECK_THAT(error_of({"--csi-address=/a"}), Catch::Contains("installed are: attacher"));
}

TEST_CASE("the log's level and format are flags of the program's") {
  const auto [flag, line] = GENERATE(table<std::string, std::string>({
      {"-v=3", "level = \"info\""},
      {"--v=4", "level = \"debug\""},
      {"-v=10", "level = \"debug\""},
      {"--logging-format=json", "format = \"json\""},
  }));
  CHECK_THAT(line_of({flag}).configuration, Catch::Contains(line));
}

TEST_CASE("metrics are served where the flags say, and elsewhere than on loopback if they do") {
  const auto metrics = [](const std::string& address) {
    return line_of({"--metrics-address=" + address}).configuration;
  };
  CHECK_THAT(metrics(":8080"), Catch::Contains("[agent.http]\naddress = \"[::]:8080\"\n"
                                               "allow_remote = true\n"));
  CHECK_THAT(metrics("127.0.0.1:8080"),
             Catch::Contains("address = \"127.0.0.1:8080\"\n") && !Catch::Contains("allow_remote"));
  CHECK_THAT(metrics(""), !Catch::Contains("[agent.http]"));
  // The livenessprobe has the option, the resizer has not.
  const CommandLine shared = line_of({"--http-endpoint=:9", "--metrics-path=/m"});
  CHECK_THAT(shared.configuration,
             Catch::Contains("http_endpoint = \":9\"") &&
                 Catch::Contains("[agent.http]\naddress = \"[::]:9\"\nallow_remote = true\n"
                                 "metrics_path = \"/m\"\n"));
  CHECK(shared.warnings.empty());
  CHECK_THAT(line_of({"--livenessprobe-http-endpoint=:9", "--health-port=9"}).configuration,
             !Catch::Contains("[agent.http]"));
  const auto line = parse({"--controllers=resizer", "--http-endpoint=:9"});
  REQUIRE(line);
  CHECK_THAT(line->configuration, Catch::Contains("address = \"[::]:9\""));
  CHECK(line->warnings.empty());
}

TEST_CASE("flags of no effect are taken, with one warning each") {
  const auto [flag, text] = GENERATE(table<std::string, std::string>({
      {"--automaxprocs", "the flag --automaxprocs does nothing"},
      {"--connection-timeout=15s", "the flag --connection-timeout does nothing"},
      {"--vmodule=a=1", "the flag --vmodule does nothing"},
      {"--mode=other", "the flag --mode does nothing"},
      {"--leader-election", "--leader-election does nothing: no enabled controller"},
      {"--kubeconfig=/k", "--kubeconfig does nothing: no enabled controller asks the API server"},
      {"--kubelet-registration-path=/k", "no enabled controller has such an option"},
      {"--resizer-timeout=soon", "the controller resizer is not enabled"},
  }));
  CAPTURE(flag);
  const CommandLine line = line_of({flag, flag});
  REQUIRE(line.warnings.size() == 1);
  CHECK_THAT(line.warnings.front(), Catch::Contains(text));
  CHECK(line.configuration == line_of({}).configuration);
}

TEST_CASE("flags that are wrong are refused with the flag, the value and what is expected") {
  const auto [flag, text] = GENERATE(table<std::string, std::string>({
      {"--probe-timeout=soon",
       R"(cannot use the flag "--probe-timeout": "soon" is no duration; write it as 250ms, 30s)"},
      {"--probe-timeout=3", R"("3" is no duration)"},
      {"--probe-timeout=", R"("" is no duration)"},
      {"--probe-timeout=-3s", R"("-3s" is no duration)"},
      {"--probe-timeout=1h", R"("1h" is not between 1ms and 10m)"},
      {"--livenessprobe-health-port=http",
       R"(cannot use the flag "--livenessprobe-health-port": "http" is no whole number)"},
      {"--health-port=65536", R"("65536" is not between 1 and 65535)"},
      {"--health-port=9808.5", "is no whole number"},
      {"-v=high", R"(cannot use the flag "-v": "high" is no whole number)"},
      {"--logging-format=xml", R"("xml" is neither "text" nor "json")"},
      {"--metrics-address=8080", R"("8080" is no IP address and port; write it as)"},
      {"--metrics-address=driver:8080", "is no IP address and port"},
      {"--metrics-address=unix://socket", "is no IP address and port"},
      {"--http-endpoint=9808",
       R"(cannot use the flag "--http-endpoint": "9808" is no IP address and port)"},
      {"--metrics-path=metrics", R"("metrics" is no path such as /metrics)"},
      {"--metrics-path=/healthz", R"("/healthz" is no path such as /metrics, or is one of)"},
      {"--run-dir=", "it names no folder"},
      {"--print-config=perhaps", "neither true nor false"},
      {"--check=perhaps", "neither true nor false"},
      {"--prob-timeout=3s", R"(there is no such flag; did you mean "--probe-timeout"?)"},
      {"--livenessprobe-probe-timeouts=3s", R"(did you mean "--livenessprobe-probe-timeout"?)"},
      {"--xyzzy-frotz-plugh", "there is no such flag; csi-sidecars --help lists all"},
      {"--snapshotter-timeout=3s", "there is no such flag"},
      {"--leader-election=perhaps", R"("perhaps" is neither true nor false)"},
      {"-=x", "there is no such flag"},
      {"--csi-address", "it needs a value"},
      {"livenessprobe", R"(cannot use the flag "livenessprobe": it is no flag)"},
      {"--", "it is no flag"},
  }));
  CAPTURE(flag);
  CHECK_THAT(error_of({"--controllers=livenessprobe", flag}), Catch::Contains(text));
}

TEST_CASE("of an unknown flag the name is told, as one line, and never its value") {
  CHECK(error_of({"--controllers=livenessprobe", "--tokken=S3CRET"}) ==
        "cannot use the flag \"--tokken\": there is no such flag; csi-sidecars --help lists all");
  CHECK_THAT(error_of({"--controllers=livenessprobe", "--a\n\x1b[31mb=S3CRET"}),
             Catch::Contains(R"(the flag "--a\n\u001b[31mb": there is no such flag)") &&
                 !Catch::Contains("S3CRET"));
  CHECK_THAT(error_of({"--controllers=livenessprobe", "a\nb"}),
             Catch::Contains(R"(the flag "a\nb": it is no flag)"));
}

TEST_CASE("values of bools, lists of words and secrets are told of likewise") {
  const auto [flag, text] = GENERATE(table<std::string, std::string>({
      {"--leader-election=perhaps", R"("perhaps" is neither true nor false)"},
      {"--level=middle", R"("middle" is none of "low", "high")"},
      {"--ratio=many", R"("many" is no number)"},
      {"--password=hunter2", R"(the flag "--password": its value is no whole number)"},
  }));
  CAPTURE(flag);
  CHECK_THAT(error_of({"--controllers=resizer", flag}),
             Catch::Contains(text) && !Catch::Contains("hunter2"));
  CHECK_THAT(error_of({"--controllers=resizer", "--leader-election", "true"}),
             Catch::Contains("it is no flag; a bool has its value after =: --flag=false"));
}

TEST_CASE("a driver that a controller waits for is told of by its address alone") {
  CHECK_THAT(error_of({"--controllers=attacher", "--csi-address=127.0.0.1:50051"}),
             Catch::StartsWith("cannot use the CSI driver's address \"127.0.0.1:50051\": it is a "
                               "TCP address"));
}

TEST_CASE("a flag that several enabled controllers have is to be prefixed, unless it is generic") {
  const Words both = {"--controllers=livenessprobe,node-driver-registrar",
                      "--kubelet-registration-path=/k", "--health-port=9900"};
  CHECK_THAT(error_of(both),
             Catch::Contains("several enabled controllers have it; write "
                             "--livenessprobe-health-port or --node-driver-registrar-health-port"));
}

TEST_CASE("an address is for one controller: each serves the same page on its own") {
  InstalledControllers installed = test::made_up_controllers();
  installed.described["node-driver-registrar"].options.push_back(
      test::option("http_endpoint", config::OptionType::kString, ""));
  Words words = {"--controllers=livenessprobe,node-driver-registrar",
                 "--kubelet-registration-path=/k", "--http-endpoint=:9808"};
  const auto line = parse_command_line(words, installed);
  REQUIRE_FALSE(line);
  CHECK_THAT(
      line.error().message(),
      Catch::Contains("--livenessprobe-http-endpoint or --node-driver-registrar-http-endpoint"));
  words.back() = "--livenessprobe-http-endpoint=:9808";
  CHECK(parse_command_line(words, installed));
}

TEST_CASE("the probe of old manifests, run beside the program, does nothing") {
  const auto line = parse({"--kubelet-registration-path=/k", "--mode=kubelet-registration-probe"});
  REQUIRE(line);
  CHECK(line->does_nothing);
  const auto other = parse({"--controllers=livenessprobe", "--mode=x"});
  REQUIRE(other);
  CHECK_FALSE(other->does_nothing);
}

TEST_CASE("a flag that a controller needs is asked for") {
  CHECK_THAT(error_of({"--controllers=node-driver-registrar"}),
             Catch::Contains("cannot run the controller \"node-driver-registrar\": it needs the "
                             "flag --node-driver-registrar-kubelet-registration-path"));
  CHECK_THAT(controllers_of({"--controllers=node-driver-registrar", "--timeout=2s",
                             "--kubelet-registration-path=/k"}),
             Catch::EndsWith("kubelet_registration_path = \"/k\"\ntimeout = \"2s\"\n"));
}

TEST_CASE("metrics and the HTTP endpoint exclude each other, whoever has the latter") {
  const auto [controllers, advice] = GENERATE(table<std::string, std::string>({
      {"--controllers=livenessprobe",
       "write --livenessprobe-http-endpoint in place of --http-endpoint"},
      {"--controllers=resizer", "leave one of them out"},
  }));
  CHECK_THAT(error_of({controllers, "--http-endpoint=:1", "--metrics-address=:2"}),
             Catch::Contains("--http-endpoint is given too; " + advice));
  CHECK(parse({controllers, "--http-endpoint=", "--metrics-address=:2"}));
}

TEST_CASE("the flags that gave addresses are kept as they were written") {
  const CommandLine line =
      line_of({"--livenessprobe-health-port=1", "--csi-address=/a", "--http-endpoint=:2"});
  CHECK(line.http_flag == "--http-endpoint");
  using Flags = decltype(line.option_flags);
  CHECK(line.option_flags ==
        Flags{{{"livenessprobe", "csi_address"}, "--csi-address"},
              {{"livenessprobe", "health_port"}, "--livenessprobe-health-port"},
              {{"livenessprobe", "http_endpoint"}, "--http-endpoint"}});
  CHECK(line_of({"--metrics-address=:2"}).http_flag == "--metrics-address");
  CHECK(line_of({"--metrics-address="}).http_flag.empty());
}

TEST_CASE("help and version need no controllers") {
  for (const char* flag : {"-h", "-help", "--help"}) {
    const auto line = parse({flag, "--nonsense"});
    REQUIRE(line);
    CHECK(line->help);
  }
  const auto line = parse({"--version"});
  REQUIRE(line);
  CHECK(line->version);
}

TEST_CASE("folders of modules are found before any flag is known") {
  CHECK(module_dirs_of({"--x", "--module-dir=/a", "-module-dir", "/b", "--module-dir"}) ==
        Words{"/a", "/b"});
}

}  // namespace
}  // namespace longshore::sidecars
