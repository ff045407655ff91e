// The example of a controller of Kubernetes objects, with the settings and the ClusterRole that are
// beside it, before a real API server.
#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"
#include "tests/support/kube_api_server.h"
#include "tests/support/program_run.h"
#include "tests/support/read_file.h"

namespace longshore::test {
namespace {

namespace json = boost::json;
using Catch::Matchers::Contains;

const std::string kVolumes = "/api/v1/persistentvolumes";
const std::string kRole = "longshore-example-kube";
const std::string kLabel = "acme.example/claim-namespace";
const std::string kOfShop = R"({"namespace": "shop", "name": "data"})";

std::string shipped(const std::string& file) {
  return read_file(source_tree() + "/plugins/example-kube/" + file);
}

class Cluster {
 public:
  Cluster() {
    identity_ =
        server.identity(kRole, shipped("rbac.yaml"), {{""}, {"persistentvolumes"}, {"patch"}});
    directory.configure("[agent.kube]\nkubeconfig = \"" + identity_.kubeconfig + "\"\n" +
                        shipped("example-kube.toml"));
  }

  void start_agent() {
    agent.emplace(directory);
    INFO(directory.log());
    REQUIRE(agent->serves());
  }

  // A volume whose claim is `claim`, in JSON.
  void make(const std::string& name, const std::string& claim, const std::string& label = {}) {
    std::string labels = label.empty() ? "{}" : "{\"" + kLabel + "\": \"" + label + "\"}";
    ask("POST", kVolumes,
        R"({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": ")" + name +
            R"(", "labels": )" + labels +
            R"(}, "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
                "csi": {"driver": "test.csi.example", "volumeHandle": ")" +
            name + R"("}, "claimRef": )" + claim + "}}",
        201);
  }
  void change(const std::string& name, const std::string& patch) {
    ask("PATCH", kVolumes + '/' + name, patch, 200);
  }
  void allow(const std::string& role) {
    ask("PUT", "/apis/rbac.authorization.k8s.io/v1/clusterroles/" + kRole, role, 200);
  }

  // Empty: it has none.
  std::string label(const std::string& name) {
    const json::value volume =
        json::parse(server.request(server.admin(), "GET", kVolumes + '/' + name).body);
    const json::value* const labels = volume.at("metadata").as_object().if_contains("labels");
    const json::value* const text = labels ? labels->as_object().if_contains(kLabel) : nullptr;
    return text ? json::value_to<std::string>(*text) : std::string();
  }
  void check_label(const std::string& name, const std::string& expected) {
    INFO(name << '\n' << directory.log());
    CHECK(eventually([&] { return label(name) == expected; }));
  }
  bool logs(const std::string& text) {
    return eventually([&] { return directory.log().find(text) != std::string::npos; });
  }
  std::string shown(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{built_program("longshorectl"), "--socket",
                                   directory.control_socket(), "controllers", "example-kube"};
    words.insert(words.end(), more.begin(), more.end());
    const auto run = run_program(words);
    return run.output + run.errors;
  }

  KubeApiServer server;
  AgentDirectory directory;
  std::optional<AgentProcess> agent;

 private:
  void ask(const std::string& method, const std::string& path, const std::string& body,
           int expected) {
    const KubeResponse answer = server.request(server.admin(), method, path, body);
    INFO(answer.body);
    REQUIRE(answer.status == expected);
  }

  KubeIdentity identity_;
};

void check_labels(Cluster& cluster) {
  cluster.make("before", kOfShop);
  cluster.make("wrong", kOfShop, "other");
  cluster.make("free", "null", "gone");
  cluster.start_agent();
  cluster.check_label("before", "shop");
  cluster.check_label("wrong", "shop");
  cluster.check_label("free", "");
  cluster.make("after", kOfShop);
  cluster.check_label("after", "shop");
  // What people change is put right.
  cluster.change("after", R"({"metadata": {"labels": {")" + kLabel + R"(": "mine"}}})");
  cluster.check_label("after", "shop");
  cluster.change("after", R"({"spec": {"claimRef": null}})");
  cluster.check_label("after", "");
}

// What people see of it.
void check_look(Cluster& cluster) {
  CHECK(eventually([&] {
    const std::string controller = cluster.shown();
    return controller.find("persistentvolumes: 0 queued; 0 running; 0 to be tried again\n") !=
           std::string::npos;
  }));
  CHECK_THAT(cluster.shown(), Contains("LIMIT PER SECOND") && Contains("\nobjects "));
  CHECK(eventually([&] {
    const std::string volume = cluster.shown({"--object", "persistentvolume/after"});
    return volume.find("done since ") != std::string::npos &&
           volume.find("TRIED AT") != std::string::npos;
  }));
  CHECK_THAT(cluster.shown({"--object", "persistentvolumes/after", "--output=json"}),
             Contains("\"queue\":\"persistentvolumes\"") && Contains("\"last_tries\":[{"));
  CHECK_THAT(cluster.shown({"--object", "persistentvolumes/nobody"}), Contains("NOT_FOUND: "));
  CHECK_THAT(cluster.shown({"--object", "pods/after"}),
             Contains("its kinds are: persistentvolumes"));
}

// Which the server takes, and the reader does not.
void check_odd_object(Cluster& cluster) {
  cluster.make("odd", R"({"name": "data"})");
  CHECK(cluster.logs("spec.claimRef.namespace is missing"));
  cluster.make("next", kOfShop);
  cluster.check_label("next", "shop");
  CHECK(cluster.label("odd").empty());
  cluster.change("odd", R"({"spec": {"claimRef": {"namespace": "repaired"}}})");
  cluster.check_label("odd", "repaired");
}

void check_permissions(Cluster& cluster) {
  const std::string role = shipped("rbac.yaml");
  const auto with_verbs = [&](const std::string& verbs) {
    const std::string all = "[list, watch, patch]";
    std::string other = role;
    return other.replace(role.find(all), all.size(), verbs);
  };
  cluster.allow(with_verbs("[list, watch]"));
  cluster.make("forbidden", kOfShop);
  CHECK(cluster.logs("the verb patch on the resource persistentvolumes"));
  CHECK(eventually([&] {
    const std::string volume = cluster.shown({"--object", "persistentvolumes/forbidden"});
    return volume.find("last error ") != std::string::npos &&
           volume.find("the verb patch") != std::string::npos;
  }));
  cluster.allow(role);
  cluster.check_label("forbidden", "shop");

  CHECK(cluster.agent->stop() == 0);
  cluster.allow(with_verbs("[patch]"));
  cluster.make("unseen", kOfShop);
  cluster.start_agent();
  CHECK(eventually([&] {
    return cluster.shown().find("the watch of persistentvolumes is lost") != std::string::npos;
  }));
  CHECK_THAT(cluster.shown(), Contains("the verb list on the resource persistentvolumes"));
  CHECK(cluster.label("unseen").empty());
  cluster.allow(role);
  cluster.check_label("unseen", "shop");
  CHECK(eventually([&] { return cluster.shown().find("is lost") == std::string::npos; }));
}

void check_server_that_was_away(Cluster& cluster) {
  const std::string reason = "waits for the API server: cannot reach the API server";
  cluster.server.kill_server();
  CHECK(eventually([&] { return cluster.shown().find(reason) != std::string::npos; }));
  cluster.server.start_server();
  cluster.make("again", kOfShop);
  cluster.check_label("again", "shop");
  CHECK(eventually([&] { return cluster.shown().find(reason) == std::string::npos; }));
}

}  // namespace

TEST_CASE("the example labels volumes of a real API server, whatever happens to it") {
  Cluster cluster;
  check_labels(cluster);
  check_look(cluster);
  check_odd_object(cluster);
  check_permissions(cluster);
  check_server_that_was_away(cluster);
  CHECK(cluster.agent->stop() == 0);
}

}  // namespace longshore::test
