#include "tests/style/source_rules.h"

#include <catch2/catch.hpp>

#include "tests/style/this_tree.h"

namespace longshore::style {
namespace {

size_t count(Findings (*rule)(const SourceTree&), const std::string& path,
             const std::string& text) {
  return rule(tree_of({{path, text}})).size();
}

size_t group_names(const std::string& code) {
  return count(check_group_names, "agent/router/x.cc", code);
}

TEST_CASE("this repository's agent names no group") {
  CHECK(check_group_names(this_tree()) == Findings());
}

TEST_CASE("this repository's files have no more than 500 lines, and its headers are guarded") {
  CHECK(check_shape(this_tree()) == Findings());
}

TEST_CASE("this repository holds nothing generated") {
  CHECK(check_generated(this_tree()) == Findings());
}

TEST_CASE("this repository starts no shell") { CHECK(check_shells(this_tree()) == Findings()); }

TEST_CASE("this repository names no host to fetch anything from") {
  CHECK(check_hosts(this_tree()) == Findings());
}

TEST_CASE("a group in an identifier, a string or a file's name is found") {
  CHECK(group_names("int disk_count;\n") == 1);
  CHECK(group_names("void ListVolumes();\n") == 1);
  CHECK(group_names("class SMBShare;\nclass SmbShare;\n") == 1);
  CHECK(group_names("auto x = \"v1.Filesystem/PathExists\";\n") == 1);
  CHECK(group_names("auto x = \"csi-proxy-filesystem-v1\";\n") == 1);
  CHECK(group_names("auto x = R\"(iscsi \" disk)\";\n") == 2);
  CHECK(group_names("#include \"filesystem/v1.pb.h\"\n") == 1);
  CHECK(count(check_group_names, "agent/router/volume_calls.cc", "") == 1);
}

TEST_CASE("a group that the check does not know is found") {
  CHECK(count(check_group_names, "modules/nvme/module.cc", "") == 1);
  CHECK(count(check_group_names, "modules/echo/module.cc", "") == 0);
}

TEST_CASE("comments, parts of other words and std::filesystem are no group") {
  CHECK(group_names("// \"v1.Disk\" is one\n/* volume */ int x;\n") == 0);
  CHECK(group_names("auto x = \"libfdisk.so.1\";\n") == 0);
  CHECK(group_names("#include <filesystem>\nnamespace fs = std::filesystem;\n") == 0);
  CHECK(group_names("void f(const std::filesystem::filesystem_error&);\n") == 0);
  CHECK(group_names("a.dwVolumeSerialNumber == b;\n") == 0);
  CHECK(group_names("const int n = 1'000'000;  // 'disk'\n") == 0);
  CHECK(count(check_group_names, "modules/disk/module.cc", "int disk;\n") == 0);
}

TEST_CASE("a file of more than 500 lines is found") {
  CHECK(count(check_shape, "agent/rpc/x.cc", std::string(500, '\n')) == 0);
  CHECK(count(check_shape, "agent/rpc/x.cc", std::string(501, '\n')) == 1);
  CHECK(count(check_shape, "tests/run.sh", std::string(501, '\n')) == 1);
  CHECK(count(check_shape, "tests/data.expected", std::string(501, '\n')) == 0);
}

TEST_CASE("a header without a guard is found") {
  CHECK(count(check_shape, "agent/rpc/x.h", "// Text.\n#pragma once\nint x;\n") == 0);
  CHECK(count(check_shape, "sdk/x.h", "/* Text. */\n#ifndef X_H_\n#define X_H_\n#endif\n") == 0);
  CHECK(count(check_shape, "sdk/x.h", "#ifndef X_H_\n#define Y_H_\n#endif\n") == 1);
  CHECK(count(check_shape, "agent/rpc/x.h", "// #pragma once\nint x;\n") == 1);
  CHECK(count(check_shape, "sdk/x.hpp", "") == 1);
}

TEST_CASE("a generated file is found") {
  CHECK(count(check_generated, "sdk/proto/disk/v1.pb.h", "") == 1);
  CHECK(count(check_generated, "modules/echo/module_description.h", "") == 1);
  CHECK(count(check_generated, "modules/echo/proto/v1.proto", "") == 0);
}

TEST_CASE("a way to a shell is found") {
  CHECK(count(check_shells, "modules/disk/x.cc", "int n = system(\"ls\");\n") == 1);
  CHECK(count(check_shells, "modules/disk/x.cc", "std::system(line.c_str());\n") == 1);
  CHECK(count(check_shells, "tests/x.cc", "FILE* f = popen(line, \"r\");\n") == 1);
  CHECK(count(check_shells, "modules/disk/x.cc", "spawn({\"/bin/sh\", \"-c\"});\n") == 1);
  CHECK(count(check_shells, "modules/disk/x.cc", "spawn({\"PowerShell\"});\n") == 1);
}

TEST_CASE("what only looks like a way to a shell is none") {
  CHECK(count(check_shells, "modules/disk/x.cc", "if (error.system() == kNone) return;\n") == 0);
  CHECK(count(check_shells, "sdk/x.hpp", "const std::error_code& system() const;\n") == 0);
  CHECK(count(check_shells, "modules/disk/x.cc", "log(\"system(8) of popen(3)\");\n") == 0);
  CHECK(count(check_shells, "modules/disk/x.cc", "// popen(line)\nfile_system(x);\n") == 0);
}

TEST_CASE("a host on the network is found in any file") {
  CHECK(count(check_hosts, "tests/x.sh",
              "get https:"
              "//packages.invalid/list\n") == 1);
  CHECK(count(check_hosts, "tests/x.cc", "\"http://example.com/\" \"http://127.0.0.1:1\"\n") == 0);
  CHECK(count(check_hosts, "README.md", "https://github.com/kubernetes-csi/csi-proxy\n") == 0);
}

}  // namespace
}  // namespace longshore::style
