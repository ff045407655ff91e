// What text that is in order becomes.
#include "config/load.h"

#include <catch2/catch.hpp>

#include "config/loaded.h"
#include "fake_catalog.h"

namespace longshore::config::test {

using namespace std::chrono_literals;

namespace {

Configuration configuration_of(std::string_view text) {
  FakeCatalog catalog;
  auto configuration = load_text(text, "agent.toml", catalog);
  if (!configuration) FAIL(configuration.error().message());
  return *std::move(configuration);
}

}  // namespace

TEST_CASE("an empty configuration is the defaults and no module") {
  const auto* text = GENERATE("", "\n", "# nothing\n", "[agent]\n[endpoints]\n[modules]\n",
                              "\xef\xbb\xbf[agent]\n", "[agent]\r\n");
  Configuration expected;
  expected.files = {"agent.toml"};
  CHECK(configuration_of(text) == expected);
}

TEST_CASE("every key reaches its setting") {
  const Configuration read = configuration_of(R"(
[agent]
run_dir = "/a/run"
control_dir = "/a/control"
state_dir = "/a/state"
module_dirs = ["/m1", "/m2"]
trusted_owners = ["daemon", "1000"]
stop_timeout = "1.5s"
strict = true
[agent.log]
level = "debug"
format = "json"
file = "/var/log/x"
[agent.limits]
max_request_bytes = 2048
max_response_bytes = 4096
max_connections = 3
max_connections_per_user = 2
max_streams_per_connection = 7
max_memory = 8000000
max_memory_per_endpoint = 7000000
max_memory_per_peer = 6000000
max_memory_per_connection = 5000000
max_images = 9
[endpoints]
csi_proxy = false
[endpoints.csi_proxy_access]
mode = "0666"
owner = "root"
group = "disk"
allow_users = ["bin"]
allow_groups = ["daemon", "sys"]
[endpoints.all]
address = "unix:///run/x.sock"
services = ["v1.Disk"]
mode = "0640"
[modules.disk]
enabled = true
library = "longshore-disk"
isolation = "in-process"
sha256 = "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855"
max_concurrent_calls = 2
max_queued_calls = 0
max_stuck_calls = 1
max_calls_per_bulkhead = 3
start_timeout = "2s"
call_timeout = "3s"
deny_methods = ["v1.Disk/FormatDisk"]
may_call = []
methods."v1.Disk/ListDisks".timeout = "10m"
)");
  CHECK(read.agent.run_dir == "/a/run");
  CHECK(read.agent.control_dir == "/a/control");
  CHECK(read.agent.state_dir == "/a/state");
  CHECK(read.agent.module_dirs == std::vector<std::string>{"/m1", "/m2"});
  CHECK(read.agent.trusted_owners == std::vector<std::string>{"daemon", "1000"});
  CHECK(read.agent.stop_timeout == 1500ms);
  CHECK(read.agent.log == LogSettings{"debug", "json", "/var/log/x"});
  CHECK(read.agent.limits ==
        LimitSettings{2048, 4096, 3, 2, 7, 8000000, 7000000, 6000000, 5000000, 9});
  CHECK_FALSE(read.csi_proxy.enabled);
  CHECK(read.csi_proxy.access == AccessSettings{.mode = 0666,
                                                .owner = "root",
                                                .group = "disk",
                                                .allow_users = {"bin"},
                                                .allow_groups = {"daemon", "sys"}});
  REQUIRE(read.endpoints.size() == 1);
  CHECK(read.endpoints[0] ==
        EndpointSettings{"all", "unix:///run/x.sock", {"v1.Disk"}, {.mode = 0640}});
  CHECK(read.endpoints[0].path() == "/run/x.sock");
  REQUIRE(read.modules.size() == 1);
  const ModuleSettings& disk = read.modules[0];
  CHECK(disk.name == "disk");
  CHECK(disk.sha256 == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(disk.max_concurrent_calls == 2);
  CHECK(disk.max_queued_calls == 0);
  CHECK(disk.max_stuck_calls == 1);
  CHECK(disk.max_calls_per_bulkhead == 3);
  CHECK(disk.start_timeout == 2s);
  CHECK(disk.call_timeout == 3s);
  CHECK(disk.deny_methods == std::vector<std::string>{"v1.Disk/FormatDisk"});
  CHECK(disk.method_timeouts.at("v1.Disk/ListDisks") == 10min);
}

TEST_CASE("endpoints and modules come sorted by name, enabled or not") {
  const Configuration read = configuration_of(R"(
[modules.volume]
[modules.disk]
enabled = false
[endpoints.b]
address = "unix:///b"
services = ["v1.Volume"]
[endpoints.a]
address = "unix:///a"
services = ["v1.Volume"]
)");
  REQUIRE(read.modules.size() == 2);
  CHECK(read.modules[0].name == "disk");
  CHECK_FALSE(read.modules[0].enabled);
  CHECK(read.modules[1].name == "volume");
  REQUIRE(read.endpoints.size() == 2);
  CHECK(read.endpoints[0].name == "a");
}

TEST_CASE("endpoints may offer what the agent serves itself, where that is not for modules only") {
  FakeCatalog catalog;
  catalog.own = {.for_modules = {"agent.Csi", "agent.Csi/Call"},
                 .for_endpoints = {"agent.Admin", "agent.Admin/GetStatus"}};
  const auto text = [](const std::string& services, const std::string& rule) {
    return "[endpoints.all]\naddress = \"unix:///all\"\nservices = [" + services +
           "]\npermissions.all = {users = [\"0\"], methods = [" + rule + "]}\n";
  };
  const auto read = load_text(text("\"agent.Admin\"", "\"agent.Admin/GetStatus\""), "a", catalog);
  INFO((read ? "" : read.error().message()));
  REQUIRE(read);
  CHECK(read->endpoints.at(0).services == std::vector<std::string>{"agent.Admin"});
  const auto refusal = [&](const std::string& services, const std::string& rule = "\"*\"") {
    const auto refused = load_text(text(services, rule), "a", catalog);
    return refused ? "" : refused.error().message();
  };
  CHECK(refusal("\"agent.Csi\"") ==
        "a:3:13: \"endpoints.all.services\" names \"agent.Csi\", which the agent serves to modules "
        "only, as their may_call allows");
  CHECK(refusal("\"agent.Admin/GetStatus\"") ==
        "a:3:13: \"endpoints.all.services\" names \"agent.Admin/GetStatus\", which no enabled "
        "module serves");
  CHECK(refusal("\"agent.Admim\"") ==
        "a:3:13: \"endpoints.all.services\" names \"agent.Admim\", which no enabled module serves; "
        "did you mean \"agent.Admin\"?");
  CHECK(refusal("\"agent.Admin\"", "\"agent.Csi/Call\"") ==
        "a:4:46: \"endpoints.all.permissions.all.methods\" names \"agent.Csi/Call\", and the "
        "endpoint has no such method or service");
}

TEST_CASE("rules of permissions are read by name, for modules and endpoints") {
  const Configuration read = configuration_of(R"(
[modules.disk.permissions.writers]
groups = ["0"]
methods = ["v1.Disk/FormatDisk"]
[modules.disk.permissions.readers]
users = ["*", "root"]
methods = ["reads_only"]
[endpoints.a]
address = "unix:///a"
services = ["v1.Disk"]
permissions.all = {users = ["0"], methods = ["*", "v1.Disk"]}
[endpoints.csi_proxy_access.permissions.none]
users = []
methods = ["v1.Disk"]
[agent.audit]
file = "/audit"
required = true
[agent.signatures]
keys_dir = "/keys"
required = true
)");
  REQUIRE(read.modules.size() == 1);
  CHECK(read.modules[0].permissions ==
        std::vector<PermissionRule>{{"readers", {"*", "root"}, {}, {"reads_only"}},
                                    {"writers", {}, {"0"}, {"v1.Disk/FormatDisk"}}});
  REQUIRE(read.endpoints.size() == 1);
  CHECK(read.endpoints[0].access.permissions ==
        std::vector<PermissionRule>{{"all", {"0"}, {}, {"*", "v1.Disk"}}});
  CHECK(read.csi_proxy.access.permissions ==
        std::vector<PermissionRule>{{"none", {}, {}, {"v1.Disk"}}});
  CHECK(read.agent.audit == AuditSettings{"/audit", true});
  CHECK(read.agent.signatures == SignatureSettings{"/keys", true});
}

TEST_CASE("grants of the API server's resources are read by name, and how it is reached") {
  const Configuration read = configuration_of(R"(
[agent.kube]
kubeconfig = "/etc/kube/config"
api_qps = 0.5
api_burst = 100
[controllers.beat.kube_grants.volumes]
api_groups = ["", "storage.k8s.io"]
resources = ["persistentvolumes", "volumeattachments/status"]
verbs = ["get", "patch"]
[controllers.beat.kube_grants.passwords]
api_groups = [""]
resources = ["secrets"]
verbs = ["get"]
)");
  CHECK(read.agent.kube == KubeSettings{"/etc/kube/config", 0.5, 100});
  CHECK(read.modules.at(0).kube_grants ==
        std::vector<KubeGrant>{{"passwords", {""}, {"secrets"}, {"get"}},
                               {"volumes",
                                {"", "storage.k8s.io"},
                                {"persistentvolumes", "volumeattachments/status"},
                                {"get", "patch"}}});
}

TEST_CASE("settings of a module have all its options, with defaults filled in") {
  const Configuration read = configuration_of(R"(
[modules.volume.settings]
ratio = 1
delay = "250ms"
hints = ["x", "", "x"]
)");
  const std::map<std::string, OptionValue> expected = {
      {"read_only", false},
      {"retries", int64_t{3}},
      {"ratio", 1.0},
      {"filesystem", std::string("ext4")},
      {"hints", std::vector<std::string>{"x", "", "x"}},
      {"delay", int64_t{250'000'000}},
      {"password", std::string()},
  };
  CHECK(read.modules.at(0).settings == expected);
}

TEST_CASE("limits of a module's process, in whole processors or parts of them") {
  CHECK(configuration_of("[modules.disk]").modules.at(0).process.cpu_max == 0);
  const auto [text, processors] =
      GENERATE(table<std::string, double>({{"0.25", 0.25}, {"2", 2}, {"1024", 1024}, {"0", 0}}));
  const Configuration read = configuration_of(
      "[modules.disk]\nisolation = \"process\"\n"
      "[modules.disk.process]\nprocesses_max = 64\ncpu_max = " +
      text);
  CHECK(read.modules.at(0).process.cpu_max == processors);
  CHECK(read.modules.at(0).process.processes_max == 64);
}

TEST_CASE("a disabled module need not exist and its settings are left alone") {
  FakeCatalog catalog;
  const auto read = load_text(
      "[modules.tape]\nenabled = false\nsettings.speed = 3\n"
      "deny_methods = [\"v1.Tape/Rewind\"]\nmay_call = [\"v1.Nobody\"]\n",
      "agent.toml", catalog);
  REQUIRE(read.ok());
  CHECK(catalog.asked.empty());
  CHECK(read.value().modules.at(0).settings.empty());
  CHECK(read.value().modules.at(0).library == "longshore-tape");
}

TEST_CASE("a module that cannot be loaded refuses the whole only where that is wanted") {
  const std::string missing =
      "[modules.tape]\nsettings.speed = 3\ndeny_methods = [\"v1.Tape/Rewind\"]\n"
      "[modules.disk]\nmay_call = [\"v1.Tape/Rewind\"]\n"
      "[endpoints.all]\naddress = \"unix:///run/all.sock\"\nservices = [\"v1.Tape\"]\n";
  FakeCatalog catalog;
  const auto loaded = load_text_with_origins(missing, "agent.toml", catalog);
  REQUIRE(loaded);
  CHECK(loaded->schemas.size() == 1);
  REQUIRE(loaded->configuration.modules.size() == 2);
  CHECK(loaded->configuration.modules[1].name == "tape");
  CHECK(loaded->configuration.modules[1].settings.empty());
  const auto refused =
      load_text_with_origins(missing, "agent.toml", catalog, LoadOptions{.strict = true});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message() ==
        "agent.toml:1:1: cannot find the module \"longshore-tape\"; install it, or set enabled = "
        "false");
  CHECK_FALSE(load_text("[agent]\nstrict = true\n" + missing, "agent.toml", catalog).ok());
}

TEST_CASE("the catalog is asked with the library, the pin and the folders of the files") {
  FakeCatalog catalog;
  const std::string pin(64, 'a');
  const auto read = load_text(
      "[agent]\nmodule_dirs = [\"/m\"]\n[modules.disk]\n"
      "[modules.other]\nlibrary = \"longshore-volume\"\nsha256 = \"" +
          pin + "\"\n",
      "agent.toml", catalog);
  REQUIRE(read.ok());
  REQUIRE(catalog.asked.size() == 2);
  CHECK(catalog.asked[0].library == "longshore-disk");
  CHECK(catalog.asked[1].library == "longshore-volume");
  CHECK(catalog.asked[1].sha256 == pin);
  CHECK(catalog.asked_with_dirs == std::vector<std::string>{"/m"});
}

TEST_CASE("modules may call others, by method or by service, where no circle comes of it") {
  const Configuration read = configuration_of(R"(
[modules.disk]
[modules.guarded]
may_call = ["v1.Volume", "v1.Disk/ListDisks"]
settings.roots = ["/srv"]
[modules.volume]
may_call = ["v1.Disk"]
)");
  CHECK(read.modules.at(1).may_call == std::vector<std::string>{"v1.Volume", "v1.Disk/ListDisks"});
}

TEST_CASE(
    "may_call may name what the module says that it calls, served or not, and grants it no more") {
  FakeCatalog catalog;
  catalog.schemas["longshore-disk"].calls = {"v1.Volume/MountVolume"};
  const auto load_disk = [&](const std::string& name, const std::string& more = {}) {
    return load_text_with_origins("[modules.disk]\nmay_call = [\"" + name + "\"]\n" + more,
                                  "agent.toml", catalog);
  };
  const auto alone = load_disk("v1.Volume/MountVolume");
  REQUIRE(alone);
  CHECK(alone->warnings.empty());
  CHECK(load_disk("v1.Volume/MountVolume", "[modules.volume]\nenabled = false\n"));
  CHECK(load_disk("v1.Volume/MountVolume", "[modules.volume]\n"));
  // A slip of the pen is found as before, and what another module says is not this one's.
  for (const char* name : {"v1.Volume/FormatVolume", "v1.Volume/MountVolumes", "v1.Volume"}) {
    CAPTURE(name);
    const auto refused = load_disk(name);
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message(), Catch::Contains("neither a service nor a method"));
  }
  CHECK_FALSE(
      load_text_with_origins("[modules.disk]\n[modules.guarded]\nsettings.roots = []\nmay_call = "
                             "[\"v1.Volume/MountVolume\"]\n",
                             "agent.toml", catalog));
  // Nothing is allowed that the configuration does not name.
  CHECK(load_text_with_origins("[modules.disk]\n[modules.volume]\n", "agent.toml", catalog)
            ->configuration.modules.at(0)
            .may_call.empty());
  // A circle remains one.
  const auto circle =
      load_disk("v1.Volume/MountVolume", "[modules.volume]\nmay_call = [\"v1.Disk/ListDisks\"]\n");
  REQUIRE_FALSE(circle);
  CHECK_THAT(circle.error().message(), Catch::Contains("in a circle"));
}

TEST_CASE("what the agent serves to endpoints no module may call, whatever it says of itself") {
  FakeCatalog catalog;
  catalog.own = {.for_modules = {"agent.Csi"},
                 .for_endpoints = {"agent.Admin", "agent.Admin/Reload"}};
  catalog.schemas["longshore-disk"].calls = {"agent.Admin/Reload"};
  const auto refusal = [&](const std::string& tables) {
    const auto refused = load_text(tables, "a", catalog);
    return refused ? "" : refused.error().message();
  };
  const std::string why =
      "a:2:13: \"modules.disk.may_call\" names \"agent.Admin/Reload\", which the agent serves to "
      "endpoints only";
  const std::string disk = "[modules.disk]\nmay_call = [\"agent.Admin/Reload\"]\n";
  CHECK(refusal(disk) == why);
  // Whether or not all modules' files are there, and its own.
  CHECK(refusal(disk + "[modules.absent]\n") == why);
  CHECK(refusal("[modules.tape]\nmay_call = [\"agent.Csi\", \"agent.Admin\"]\n") ==
        "a:2:26: \"modules.tape.may_call\" names \"agent.Admin\", which the agent serves to "
        "endpoints only");
}

TEST_CASE("the same service may be on several endpoints") {
  const Configuration read = configuration_of(R"(
[modules.disk]
[endpoints]
a = { address = "unix:///a", services = ["v1.Disk"] }
b = { address = "unix:///b", services = ["v1.Disk"] }
)");
  CHECK(read.endpoints.size() == 2);
}

TEST_CASE("text larger than any configuration is refused unread") {
  FakeCatalog catalog;
  const auto read = load_text(std::string((1 << 20) + 1, '\n'), "agent.toml", catalog);
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().message() == "agent.toml:1:1: the file is larger than 1 MiB");
}

TEST_CASE("a controller waits for a driver where the agent connects to drivers, at its socket") {
  const auto load = [](const std::string& address, FakeCatalog& catalog) {
    return load_text("[controllers.beat]\nwait_for_driver = \"" + address + "\"\n", "agent.toml",
                     catalog);
  };
  FakeCatalog catalog;
  for (const std::string address :
       {"/csi/csi.sock", "unix:/csi/csi.sock", "unix:///csi/csi.sock"}) {
    const auto read = load(address, catalog);
    REQUIRE(read);
    CHECK(read->modules.at(0).wait_for_driver == address);
  }
  catalog.own = {};  // as in a program with liblongshore
  const auto refused = load("/csi/csi.sock", catalog);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message() ==
        "agent.toml:2:19: \"controllers.beat.wait_for_driver\" is for longshored and csi-sidecars: "
        "an "
        "agent in another program connects to no CSI drivers");
}

TEST_CASE("a controller runs by a lease where the agent asks an API server") {
  const std::string text = R"([controllers.beat.leader_election]
lease = "beat.leader"
namespace = "kube-system"
lease_duration = "30s"
labels = ["app=driver", "empty="]
release_on_exit = false
)";
  FakeCatalog catalog;
  const auto read = load_text(text, "agent.toml", catalog);
  REQUIRE(read);
  using std::chrono::seconds;
  CHECK(read->modules.at(0).leader_election ==
        LeaderElectionSettings{.lease = "beat.leader",
                               .name_space = "kube-system",
                               .lease_duration = seconds(30),
                               .renew_deadline = seconds(10),
                               .retry_period = seconds(5),
                               .labels = {"app=driver", "empty="},
                               .release_on_exit = false});
  catalog.own.for_modules = {"longshore.host.v1.Csi"};  // as on Windows
  const auto refused = load_text(text, "agent.toml", catalog);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message() ==
        "agent.toml:5:10: \"controllers.beat.leader_election\" is for longshored and csi-sidecars "
        "on Linux: other agents ask no Kubernetes API server");
}

TEST_CASE("a controller stands in a table of its own and has the keys of a module") {
  const Configuration read = configuration_of(R"(
[modules.volume]
[controllers.beat]
may_call = ["v1.Volume"]
isolation = "process"
process.restart_max = 3
)");
  REQUIRE(read.modules.size() == 2);
  const ModuleSettings& beat = read.modules.at(0);
  CHECK(beat.name == "beat");
  CHECK(beat.is_controller);
  CHECK(beat.table() == "controllers.beat");
  CHECK(beat.library == "longshore-beat");
  CHECK(beat.process.restart_max == 3);
  CHECK(read.modules.at(1).table() == "modules.volume");
}

}  // namespace longshore::config::test
