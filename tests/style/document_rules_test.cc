#include "tests/style/document_rules.h"

#include <catch2/catch.hpp>

#include "tests/style/call_path.h"
#include "tests/style/this_tree.h"

namespace longshore::style {
namespace {

SourceTree tree_with(const std::string& text) {
  SourceTree tree;
  tree["a/b.md"] = make_file("a/b.md", text);
  tree["a/c/d.md"] = make_file("a/c/d.md", "# One\n\n## What is `it`, then?\n");
  return tree;
}

size_t faulty_links(const std::string& text) { return check_links(tree_with(text)).size(); }

size_t old_names(const std::string& path, const std::string& code) {
  return check_old_names({{path, make_file(path, code)}}).size();
}

TEST_CASE("the links of this repository's documents lead somewhere") {
  CHECK(check_links(this_tree()) == Findings());
}

TEST_CASE("a link to a file, a folder or a heading that is not there is found") {
  CHECK(faulty_links("[x](c/e.md) and [x](../c/d.md)\n") == 2);
  CHECK(faulty_links("[x](e) [x](c/#one)\n") == 2);
  CHECK(faulty_links("# Here\n[x](#there) [x](c/d.md#two)\n") == 2);
  CHECK(check_links(tree_with("\n[x](gone.md)\n")) ==
        Findings{"a/b.md:2: gone.md is no file of ours"});
}

TEST_CASE("links that lead somewhere are none") {
  CHECK(faulty_links(
            "# It is here\n[x](#it-is-here) [x](c/d.md) [x](c) [x](c/) [x](../a/b.md)\n") == 0);
  CHECK(faulty_links("[x](c/d.md#what-is-it-then) [x](https://localhost/x)\n") == 0);
}

TEST_CASE("a call goes through the functions that the page lists") {
  CHECK(check_call_path(this_tree()) == Findings());
}

// Of two functions in one file, of which the page says that the first calls the second.
size_t faulty_steps(const std::string& code, const std::string& more = {}) {
  return check_call_path(tree_of({{"agent/README.md",
                                   "## The path of a call\n\n1. `A::f` of `a.cc`: x\n2. `B::g` of "
                                   "`a.cc`\n" +
                                       more},
                                  {"agent/a.cc", code}}))
      .size();
}

TEST_CASE("a step of the path that is not so is found") {
  CHECK(faulty_steps("void A::f() { b.g(1); }\nint B::g(int x) const { return x; }\n") == 0);
  CHECK(faulty_steps("void A::f() { b.h(1); }\nint B::g(int x) const { return x; }\n") == 1);
  CHECK(faulty_steps("void A::f() { b.g(1); }\nint B::g(int x) const;\n") == 1);
  CHECK(faulty_steps("void A::f() { b.big(1); }\nint B::g(int x) { return x; }\n") == 1);
  CHECK(faulty_steps("void A::f() {}\n", "\n**Hand-over** **Hand-over**\n") == 2);
  const std::string well = "void A::f() { g(); }\nvoid B::g() {}\n";
  CHECK(faulty_steps(well, "\n**Hand-over:** x\n\n**Hand-over:** y\n") == 0);
  CHECK(faulty_steps(well, "\n**Hand-over**\n\n**Hand-over**\n\n**Hand-over**\n") == 1);
}

TEST_CASE("nothing in this repository has the name that it had before") {
  CHECK(check_old_names(this_tree()) == Findings());
}

TEST_CASE("an old name in code is found, and in words it is none") {
  CHECK(old_names("agent/router/x.cc", "Mutations mutations;\nlonghore_x y;\n") == 1);
  CHECK(old_names("agent/router/x.cc", "f(a::ControlService());\n") == 1);
  CHECK(old_names("agent/router/x.cc", "f(::ControlService());\n") == 0);
  CHECK(old_names("sdk/include/longshore/x.h", "longshore_answer f(void);\n") == 1);
  CHECK(old_names("modules/disk/mutations.cc", "int x;\n") == 1);
  CHECK(old_names("modules/disk/x.cc", "// Mutations of a disk\nint x;  // \"Stretch\"\n") == 0);
}

size_t faults_of_chapter(const std::string& chapter) {
  return check_security_chapter(tree_of({{"README.md", "# It\n\n" + chapter}})).size();
}

TEST_CASE("the chapter on security fits one page") {
  CHECK(check_security_chapter(this_tree()) == Findings());
  const std::string parts = "**Promised**, x\n**Not promised.** x\n**Reporting.** x\n";
  const auto lines = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "x\n";
    return text;
  };
  CHECK(faults_of_chapter("## Security\n" + parts + lines(56) + "## Next\n" + lines(9)) == 0);
  CHECK(faults_of_chapter("## Security\n" + parts + lines(57) + "## Next\n") == 1);
  CHECK(faults_of_chapter("## Security\n" + parts + lines(57)) == 1);
  CHECK(faults_of_chapter("## Security\nx\n## Next\n" + parts) == 3);
  CHECK(faults_of_chapter(parts) == 1);
  CHECK(check_security_chapter({}).size() == 1);
}

size_t faulty_mounts(const std::string& yaml, const std::string& path = "deploy/README.md") {
  return check_socket_mounts(tree_of({{path, "    volumeMounts:\n" + yaml}})).size();
}

TEST_CASE("pods get the folders of sockets read-only") {
  CHECK(check_socket_mounts(this_tree()) == Findings());
  // The one in deploy/README.md is seen.
  std::string page = this_tree().at("deploy/README.md").text;
  const std::string read_only = ", readOnly: true";
  REQUIRE(page.find(read_only) != std::string::npos);
  page.erase(page.find(read_only), read_only.size());
  CHECK(check_socket_mounts(tree_of({{"deploy/README.md", page}})).size() == 1);

  CHECK(faulty_mounts("    - {name: x, mountPath: /run/longshore/x, readOnly: true}\n") == 0);
  CHECK(faulty_mounts("    - {name: x, mountPath: /run/longshore/x, readOnly: false}\n") == 1);
  CHECK(faulty_mounts("    - {name: x, mountPath: /run/longshore/x}\n"
                      "    - {name: y, mountPath: /run/longshore/y, readOnly: true}\n") == 1);
  const std::string block =
      "    - name: x\n      mountPath: \"/run/longshore\"\n      readOnly: true\n";
  CHECK(faulty_mounts(block, "deploy/kubernetes/driver.yaml") == 0);
  CHECK(faulty_mounts("    - name: x\n      mountPath: /run/longshore/x\n"
                      "    - name: y\n      readOnly: true\n") == 1);
  CHECK(faulty_mounts("    - readOnly: true\n      mountPath: /run/longshore/x\n") == 0);
  CHECK(faulty_mounts("    - name: x\n      mountPath: /run/longshore-smb\n") == 0);
  CHECK(faulty_mounts("    - name: x\n      mountPath: /run/longshore/x\n", "tests/x.md") == 0);
}

}  // namespace
}  // namespace longshore::style
