#include "tests/style/include_rules.h"

#include <catch2/catch.hpp>

#include "tests/style/this_tree.h"

namespace longshore::style {
namespace {

// What is said of a tree in which `path` includes `include`, and both are there.
Findings findings_of(Findings (*rule)(const SourceTree&), const std::string& path,
                     const std::string& include, const std::string& included) {
  return rule(tree_of({{path, "#include " + include + "\n"}, {included, ""}}));
}

Findings folder_findings(const std::string& path, const std::string& included) {
  return findings_of(check_folders, path, "\"" + included + "\"", included);
}

Findings header_findings(const std::string& path, const std::string& include) {
  return findings_of(check_system_headers, path, include, "agent/rpc/server.h");
}

TEST_CASE("no folder of this repository includes what it must not") {
  CHECK(check_folders(this_tree()) == Findings());
}

TEST_CASE("this repository has no circle of includes") {
  CHECK(check_circles(this_tree()) == Findings());
}

TEST_CASE("in this repository what one system has stays in that system's folders") {
  CHECK(check_system_headers(this_tree()) == Findings());
}

TEST_CASE("the tree that is checked is this repository") {
  for (const char* path : {"agent/rpc/server.h", "sdk/include/longshore/abi.h", "CMakeLists.txt",
                           "modules/echo/module.cc", "tests/style/include_rules_test.cc"}) {
    CAPTURE(path);
    CHECK(this_tree().contains(path));
  }
  CHECK_FALSE(this_tree().at("agent/rpc/server.h").includes.empty());
}

TEST_CASE("an include against the order of folders is found") {
  const auto [path, included] = GENERATE(table<std::string, std::string>({
      {"agent/rpc/client.cc", "agent/router/call.h"},
      {"agent/router/call.cc", "agent/loader/instance.h"},
      {"agent/config/load.cc", "agent/observe/log.h"},
      {"agent/endpoint/peer.cc", "agent/kube/watch.h"},
      {"agent/services/kube.cc", "agent/main/settings.h"},
      {"agent/services/agent_service.cc", "agent/csi/csi_service.h"},
      {"agent/loader/instance.cc", "modules/echo/echo.h"},
      {"agent/loader/instance.cc", "tests/support/bind_mount.h"},
      {"agent/main/agent.cc", "agent/sidecars/settings.h"},
      {"agent/main/agent.cc", "sdk/testing/include/longshore/testing/fake_host.hpp"},
      {"agent/novelty/thing.cc", "agent/rpc/server.h"},
      {"modules/smb/module.cc", "agent/rpc/server.h"},
      {"modules/smb/module.cc", "modules/disk/api_adapter.h"},
      {"modules/support/limits.cc", "modules/disk/api_adapter.h"},
      {"plugins/resizer/plugin.cc", "modules/support/limits.h"},
      {"plugins/resizer/plugin.cc", "plugins/attacher/work.h"},
      {"sdk/include/longshore/module.hpp", "agent/rpc/server.h"},
      {"sdk/include/longshore/abi.h", "sdk/include/longshore/result.hpp"},
      {"sdk/include/longshore/module.hpp", "sdk/testing/include/longshore/testing/fake_host.hpp"},
      {"sdk/testing/source/session.cc", "sdk/template/shelf.h"},
      {"sdk/testing/source/session.cc", "agent/loader/host_table.h"},
      {"sdk/template/shelf.cc", "modules/support/limits.h"},
  }));
  CAPTURE(path, included);
  REQUIRE(folder_findings(path, included).size() == 1);
  CHECK_THAT(folder_findings(path, included)[0], Catch::StartsWith(path + ":1: "));
}

TEST_CASE("an include along the order of folders is not") {
  const auto [path, included] = GENERATE(table<std::string, std::string>({
      {"agent/rpc/client.cc", "agent/rpc/client.h"},
      {"agent/router/call.cc", "agent/observe/log.h"},
      {"agent/loader/instance.cc", "agent/router/call.h"},
      {"agent/main/longshored.cc", "agent/services/kube.h"},
      {"agent/sidecars/command_line.cc", "agent/main/agent.h"},
      {"agent/loader/instance.cc", "sdk/include/longshore/abi.h"},
      {"agent/tools/module_check/trial_instance.cc",
       "sdk/testing/include/longshore/testing/fake_host.hpp"},
      {"modules/smb/linux/mount.cc", "modules/smb/smb_backend.h"},
      {"modules/smb/module.cc", "modules/support/limits.h"},
      {"plugins/resizer/plugin.cc", "plugins/support/queue.h"},
      {"tests/unit/rpc/call_test.cc", "agent/rpc/server.h"},
      {"sdk/testing/source/session.cc", "sdk/include/longshore/abi.h"},
      {"sdk/template/shelf_test.cc", "sdk/testing/include/longshore/testing/fake_host.hpp"},
  }));
  CAPTURE(path, included);
  CHECK(folder_findings(path, included) == Findings());
}

TEST_CASE("the agent includes the messages of its own services and of no group") {
  CHECK(findings_of(check_folders, "agent/main/call.cc", "\"longshore/admin/v1.pb.h\"",
                    "sdk/proto/longshore/admin/v1.proto") == Findings());
  CHECK(findings_of(check_folders, "agent/main/call.cc", "\"filesystem/v1.pb.h\"",
                    "sdk/proto/filesystem/v1.proto")
            .size() == 1);
}

TEST_CASE("an include in quotes that names no file is found") {
  CHECK(findings_of(check_folders, "agent/rpc/client.cc", "\"rpc/absent.h\"", "README.md").size() ==
        1);
}

TEST_CASE("an include in a comment or a string is none") {
  CHECK(check_folders(tree_of({{"agent/rpc/client.cc",
                                "// \n/*\n#include \"router/call.h\"\n*/\n"
                                "const char* k = R\"(\n#include \"router/call.h\")\";\n"},
                               {"agent/router/call.h", ""}})) == Findings());
}

TEST_CASE("a circle of includes is found once, where it closes") {
  const auto findings = check_circles(tree_of({{"agent/rpc/a.h", "#include \"rpc/b.h\"\n"},
                                               {"agent/rpc/b.h", "\n#include \"rpc/c.h\"\n"},
                                               {"agent/rpc/c.h", "#include \"rpc/a.h\"\n"}}));
  CHECK(findings == Findings{"agent/rpc/c.h:1: a circle of includes leads back to agent/rpc/a.h"});
}

TEST_CASE("two ways to one header are no circle") {
  CHECK(check_circles(tree_of({{"agent/rpc/a.h", "#include \"rpc/b.h\"\n#include \"rpc/c.h\"\n"},
                               {"agent/rpc/b.h", "#include \"rpc/c.h\"\n"},
                               {"agent/rpc/c.h", ""}})) == Findings());
}

TEST_CASE("a system's header outside the system's folder is found") {
  CHECK(header_findings("agent/endpoint/peer.cc", "<sys/socket.h>").size() == 1);
  CHECK(header_findings("agent/endpoint/peer.cc", "<windows.h>").size() == 1);
  CHECK(header_findings("modules/disk/module.cc", "<unistd.h>").size() == 1);
  CHECK(header_findings("modules/disk/module.cc", "<boost/asio/post.hpp>").size() == 1);
  CHECK(header_findings("modules/disk/module.cc", "<boost/json/value.hpp>").size() == 1);
  CHECK(header_findings("plugins/resizer/module.cc", "<boost/asio/post.hpp>").size() == 1);
  CHECK(header_findings("sdk/include/longshore/module.hpp", "<fmt/format.h>").size() == 1);
  CHECK(header_findings("sdk/testing/source/session.cc", "<unistd.h>").size() == 1);
  CHECK(header_findings("sdk/testing/source/session.cc", "<boost/asio/post.hpp>").size() == 1);

  CHECK(check_system_headers(
            tree_of({{"agent/rpc/x.cc", "#if defined(FAST)\n#include <sys/uio.h>\n"}}))
            .size() == 1);
  CHECK(check_system_headers(tree_of(
            {{"agent/rpc/x.cc", "#if defined(__linux__)\n#include <sys/uio.h>\n"}})) == Findings());
  CHECK(header_findings("agent/endpoint/linux/peer_linux.cc", "<sys/socket.h>") == Findings());
  CHECK(header_findings("modules/disk/windows/disk.cc", "<windows.h>") == Findings());
  CHECK(header_findings("agent/endpoint/peer.cc", "<boost/asio/post.hpp>") == Findings());
  CHECK(header_findings("plugins/resizer/module.cc", "<boost/json/value.hpp>") == Findings());
  CHECK(header_findings("sdk/kube/source/fields.cc", "<boost/json/value.hpp>") == Findings());
  CHECK(header_findings("sdk/include/longshore/kube/informer.hpp", "<boost/json.hpp>") ==
        Findings());
  CHECK(header_findings("tests/unit/disk/disk_test.cc", "<unistd.h>") == Findings());
}

TEST_CASE("a service that includes more than the standard library and the SDK is found") {
  CHECK(header_findings("modules/disk/disk_service.cc", "<unistd.h>").size() == 1);
  CHECK(header_findings("modules/disk/disk_service.h", "<google/protobuf/message_lite.h>").size() ==
        1);
  CHECK(header_findings("modules/disk/disk_service.cc", "\"linux/beneath.h\"").size() == 1);

  CHECK(header_findings("modules/disk/disk_service.cc", "<vector>") == Findings());
  CHECK(header_findings("modules/disk/disk_service.cc", "<longshore/result.hpp>") == Findings());
  CHECK(header_findings("modules/disk/disk_service.cc", "\"support/posix_path.h\"") == Findings());
}

}  // namespace
}  // namespace longshore::style
