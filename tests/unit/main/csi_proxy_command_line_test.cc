// csi-proxy's flags, as its README and users' manifests have them.
#include "main/csi_proxy_command_line.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace longshore {
namespace {

using Words = std::vector<std::string>;

const Words kModuleDirs = {R"(C:\p\modules)"};

std::string configuration_for(const Words& words) {
  const auto parsed = parse_csi_proxy_command_line(words, kModuleDirs);
  return parsed ? parsed->configuration : parsed.error().message();
}

TEST_CASE("csi-proxy's defaults are its six groups below the kubelet's folder") {
  CHECK(configuration_for({"-windows-service"}) == R"([agent]
module_dirs = ["C:\\p\\modules"]
[agent.log]
[modules.disk]
[modules.iscsi]
[modules.filesystem.settings]
allowed_roots = ["C:\\var\\lib\\kubelet"]
[modules.volume.settings]
allowed_roots = ["C:\\var\\lib\\kubelet"]
[modules.smb.settings]
allowed_roots = ["C:\\var\\lib\\kubelet"]
require_privacy = true
[modules.system.settings]
allowed_services = ["*"]
)");
}

TEST_CASE("the command of csi-proxy's README is a service with a log file") {
  const auto parsed = parse_csi_proxy_command_line(
      {"-windows-service", R"(-log_file=C:\etc\kubernetes\logs\csi-proxy.log)",
       "-logtostderr=false"},
      kModuleDirs);
  REQUIRE(parsed);
  CHECK(parsed->is_service);
  CHECK(parsed->warnings.empty());
  CHECK_THAT(parsed->configuration,
             Catch::Contains(
                 "[agent.log]\nfile = \"C:\\\\etc\\\\kubernetes\\\\logs\\\\csi-proxy.log\"\n"));
}

TEST_CASE("flags are written with one dash or two, with = or without") {
  const std::string text =
      configuration_for({"--working-dir", "D:\\a", "-working-dir=D:\\b", "--kubelet-path=E:\\k",
                         "-require-privacy=false", "-metrics-bind-address", ":8888", "-v=5"});
  CHECK_THAT(text, Catch::Contains(R"(allowed_roots = ["D:\\a", "D:\\b", "E:\\k"])"));
  CHECK_THAT(text, Catch::Contains("require_privacy = false"));
  CHECK_THAT(text, Catch::Contains("address = \"[::]:8888\"\nallow_remote = true"));
  CHECK_THAT(text, Catch::Contains("level = \"debug\""));
}

TEST_CASE("a log file counts only where csi-proxy would not log to standard error") {
  CHECK_THAT(configuration_for({"-log_file=C:\\x.log"}), !Catch::Contains("x.log"));
  CHECK_THAT(configuration_for({"-log_dir=C:\\logs", "-logtostderr=0"}),
             Catch::Contains(R"(file = "C:\\logs\\longshored.log")"));
}

TEST_CASE("klog's flags of how it writes are taken, with a warning") {
  const auto parsed =
      parse_csi_proxy_command_line({"-alsologtostderr", "-stderrthreshold=2"}, kModuleDirs);
  REQUIRE(parsed);
  CHECK(parsed->warnings.size() == 2);
  CHECK_THAT(parsed->warnings.front(), Catch::Contains("-alsologtostderr does nothing"));
}

TEST_CASE("faulty command lines of csi-proxy's are refused with the flag") {
  struct Case {
    Words words;
    const char* text;
  };
  const auto [words, text] = GENERATE(values<Case>({
      {{"-windows-service=perhaps"}, "neither true nor false"},
      {{"-kubelet-path"}, "it needs a value"},
      {{"-v=high"}, "is no number"},
      {{"-windows-service", "-nonsense"}, "csi-proxy has no such flag"},
      {{"-windows-service", "--config=x"}, "csi-proxy has no such flag"},
      {{"-windows-service", "true"}, "it is no flag"},
  }));
  CAPTURE(words);
  const auto parsed = parse_csi_proxy_command_line(words, kModuleDirs);
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().code() == StatusCode::kInvalidArgument);
  CHECK_THAT(parsed.error().message(), Catch::Contains(text));
}

TEST_CASE("a command line is csi-proxy's if it has one of its flags") {
  CHECK(is_csi_proxy_command_line({"--x", "-kubelet-path=C:\\k"}));
  CHECK(is_csi_proxy_command_line({"--windows-service"}));
  CHECK_FALSE(is_csi_proxy_command_line({}));
  CHECK_FALSE(is_csi_proxy_command_line({"--config", "agent.toml", "--check"}));
  CHECK_FALSE(is_csi_proxy_command_line({"--service"}));
  CHECK_FALSE(is_csi_proxy_command_line({"-", "--", "kubelet-path"}));
}

}  // namespace
}  // namespace longshore
