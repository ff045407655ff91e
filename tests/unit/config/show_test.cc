#include "config/show.h"

#include <catch2/catch.hpp>

#include "fake_catalog.h"

namespace longshore::config::test {
namespace {

Loaded loaded(std::string_view text) {
  FakeCatalog catalog;
  auto read = load_text_with_origins(text, "agent.toml", catalog);
  if (!read) FAIL(read.error().message());
  return *std::move(read);
}

bool has_line(const std::string& text, const std::string& line) {
  return ('\n' + text).find('\n' + line + '\n') != std::string::npos;
}

constexpr std::string_view kText = R"(
[agent]
stop_timeout = "1.5s"
[endpoints.all]
address = "unix:///run/x.sock"
services = ["v1.Disk"]
mode = "0640"
[modules.disk]
methods."v1.Disk/ListDisks".timeout = "2m"
[modules.volume]
enabled = false
)";

}  // namespace

TEST_CASE("what is shown loads as the same configuration") {
  const Loaded first = loaded(kText);
  const Loaded second = loaded(show(first, false));
  CHECK(second.configuration == first.configuration);
  CHECK(loaded(show(first, true)).configuration == first.configuration);
}

TEST_CASE("all keys are shown in their tables, defaults too") {
  const std::string text = show(loaded(kText), false);
  CHECK(has_line(text, "[agent]\nrun_dir = \"/run/longshore\""));
  CHECK(has_line(text, "stop_timeout = \"1500ms\""));
  CHECK(has_line(text, "[endpoints]\ncsi_proxy = true"));
  CHECK(has_line(text, "[endpoints.all]\naddress = \"unix:///run/x.sock\""));
  CHECK(has_line(text, "mode = \"0640\""));
  CHECK(has_line(text, "methods.\"v1.Disk/ListDisks\".timeout = \"2m\""));
  CHECK(has_line(text, "[modules.volume]\nenabled = false"));
  CHECK(has_line(text, "library = \"longshore-volume\""));
}

TEST_CASE("the lease of a controller is shown where it names one") {
  const std::string text = show(loaded(R"([controllers.beat.leader_election]
lease = "beat"
[controllers.second]
library = "longshore-beat"
)"),
                                false);
  CHECK(has_line(text, "[controllers.beat.leader_election]\nlease = \"beat\""));
  CHECK(has_line(text, "renew_deadline = \"10s\""));
  CHECK(text.find("[controllers.second.leader_election]") == std::string::npos);
}

TEST_CASE("origins name the file and the line, or that it is the default") {
  const std::string text = show(loaded(kText), true);
  CHECK(has_line(text, "stop_timeout = \"1500ms\"  # agent.toml:3"));
  CHECK(has_line(text, "run_dir = \"/run/longshore\"  # default"));
  CHECK(has_line(text, "methods.\"v1.Disk/ListDisks\".timeout = \"2m\"  # agent.toml:9"));
}

TEST_CASE("settings are shown by their types, and a secret is not shown") {
  const std::string text =
      show(loaded("[modules.volume.settings]\npassword = \"hunter2\"\n"), true);
  CHECK(has_line(text, "delay = \"1s\"  # default"));
  CHECK(has_line(text, "ratio = 0.5  # default"));
  CHECK(has_line(text, "retries = 3  # default"));
  CHECK(has_line(text, "password = \"(secret)\"  # agent.toml:2"));
  CHECK(text.find("hunter2") == std::string::npos);
}

TEST_CASE("values that came from the file cannot break the line they are shown in") {
  const std::string text =
      show(loaded("[modules.volume.settings]\nhints = [\"a\\n[agent]\"]\n"), false);
  CHECK(has_line(text, "hints = [\"a\\n[agent]\"]"));
}

TEST_CASE("two equal configurations have no difference") {
  CHECK(diff(loaded(kText), loaded(kText)).empty());
  CHECK(diff(loaded(""), loaded("[agent]\nrun_dir = \"/run/longshore\"\n")).empty());
}

TEST_CASE("differences are what goes and what comes, key by key") {
  const auto lines =
      diff(loaded("[modules.disk]\nmethods.\"v1.Disk/ListDisks\".timeout = \"2m\"\n"),
           loaded("[agent.log]\nlevel = \"debug\"\n[modules.disk]\nmax_queued_calls = 1\n"));
  CHECK(lines == std::vector<std::string>{
                     "- agent.log.level = \"info\"",
                     "+ agent.log.level = \"debug\"",
                     "- modules.disk.max_queued_calls = 16384",
                     "+ modules.disk.max_queued_calls = 1",
                     "- modules.disk.methods.\"v1.Disk/ListDisks\".timeout = \"2m\"",
                 });
}

TEST_CASE("what a reload cannot change is told as such") {
  CHECK(diff(loaded(""), loaded("[agent]\nrun_dir = \"/x\"\n")) ==
        std::vector<std::string>{"- agent.run_dir = \"/run/longshore\"",
                                 "+ agent.run_dir = \"/x\"  # needs a restart"});
}

TEST_CASE("an endpoint or module that is new or gone is listed with all its keys") {
  const auto added = diff(loaded("[modules.disk]\n"),
                          loaded("[modules.disk]\n[endpoints.all]\naddress = \"unix:///x\"\n"
                                 "services = [\"v1.Disk\"]\n"));
  REQUIRE(added.size() == 7);
  CHECK(added.front() == "+ endpoints.all.address = \"unix:///x\"");
  CHECK(added.back() == "+ endpoints.all.allow_groups = []");
  const auto removed = diff(loaded("[modules.volume]\n"), loaded(""));
  CHECK(removed.front() == "- modules.volume.enabled = true");
  CHECK(removed.back() == "- modules.volume.settings.retries = 3");
}

TEST_CASE("of a secret it is said that it differs and nothing more") {
  const auto lines = diff(loaded("[modules.volume.settings]\npassword = \"a\"\n"),
                          loaded("[modules.volume.settings]\npassword = \"b\"\n"));
  CHECK(lines ==
        std::vector<std::string>{"~ modules.volume.settings.password is changed (secret)"});
}

}  // namespace longshore::config::test
