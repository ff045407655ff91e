#include "tests/style/manifest_rules.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/style/this_tree.h"

namespace longshore::style {
namespace {

size_t faults(const std::string& yaml) {
  return check_yaml(tree_of({{"deploy/x.yaml", yaml}})).size();
}

size_t lost_volumes(const std::string& yaml) {
  return check_volumes(tree_of({{"deploy/x.yaml", yaml}})).size();
}

TEST_CASE("the manifests are YAML, mount what there is, and are named") {
  CHECK(check_yaml(this_tree()) == Findings());
  CHECK(check_volumes(this_tree()) == Findings());
  CHECK(check_kustomizations(this_tree()) == Findings());
  CHECK(check_windows_pods(this_tree()) == Findings());
  CHECK(this_tree().contains("deploy/kubernetes/node/kustomization.yaml"));
  const std::string pod = this_tree().at("deploy/kubernetes/node-windows/daemonset.yaml").text;
  CHECK(pod.find("hostProcess: true") != std::string::npos);
}

TEST_CASE("YAML that is out of order is found") {
  CHECK(faults("a: 1\nb:\n  - {c: [d, e]}\n  - f: g\n    h: i\n---\na: 'x: {'\n") == 0);
  CHECK(faults("a:\n- b: 1\n  c: 2\n- b: 1\nd: 2\n") == 0);
  CHECK(faults("a:\n  - --flag=1\n  # said\n  - \"b\"\nc: 1  # d: {\n") == 0);
  CHECK(faults("a:\n\tb: 1\n") == 1);
  CHECK(faults("a: 1\n  b: 2\n") == 1);
  CHECK(faults("a:\n    b: 1\n  c: 2\n") == 1);
  CHECK(faults("a:\n  b: 1\n  - c\n") == 1);
  CHECK(faults("a:\n  - b\n  c: 1\n") == 1);
  CHECK(faults("a: 1\nb: 2\na: 3\n") == 1);
  CHECK(faults("a: {b: 1\n") == 1);
  CHECK(faults("a: [b}\n") == 1);
  CHECK(faults("a: \"b\n") == 1);
  CHECK(faults("a: 1\nb\n") == 1);
}

TEST_CASE("a mount without its volume is found") {
  const std::string mounts = "m:\n  - {name: a, mountPath: /a}\n  - name: b\n    mountPath: /b\n";
  const std::string volumes = "v:\n  - {name: a, emptyDir: {}}\n  - name: b\n    hostPath: {}\n";
  CHECK(lost_volumes(mounts + volumes) == 0);
  CHECK(lost_volumes(mounts) == 2);
  CHECK(lost_volumes(mounts + "v:\n  - name: b\n    secret: {}\n") == 1);
}

TEST_CASE("a kustomization that names what is not there, or leaves something out, is found") {
  const std::string path = "deploy/k/kustomization.yaml";
  const std::string text = "resources:\n  - a.yaml\n";
  CHECK(check_kustomizations(tree_of({{path, text}, {"deploy/k/a.yaml", ""}})).empty());
  CHECK(check_kustomizations(tree_of({{path, text}})).size() == 1);
  CHECK(check_kustomizations(
            tree_of({{path, text}, {"deploy/k/a.yaml", ""}, {"deploy/k/b.yaml", ""}}))
            .size() == 1);
}

TEST_CASE("a HostProcess pod that would not be admitted, or mounts a pipe, is found") {
  const std::string pod =
      "hostNetwork: true\nnodeSelector: {kubernetes.io/os: windows}\nhostProcess: true\n";
  const std::string space =
      "\nkind: Namespace\nlabels:\n  pod-security.kubernetes.io/enforce: privileged\n";
  const auto faulty_pods = [&](const std::string& text, const std::string& space_path) {
    return check_windows_pods(tree_of({{"deploy/k/a.yaml", text}, {space_path, space}})).size();
  };
  CHECK(faulty_pods(pod, "deploy/k/b.yaml") == 0);
  CHECK(faulty_pods(pod, "deploy/other/b.yaml") == 1);
  CHECK(faulty_pods("hostProcess: true\n", "deploy/k/b.yaml") == 2);
  CHECK(faulty_pods(pod + "x:\n  - {name: a, mountPath: \\\\.\\pipe\\a}\n", "deploy/k/b.yaml") ==
        1);
  CHECK(faulty_pods(pod + "x:\n  - {name: a, hostPath: {path: '\\\\.\\pipe\\a'}}\n",
                    "deploy/k/b.yaml") == 1);
}

}  // namespace
}  // namespace longshore::style
