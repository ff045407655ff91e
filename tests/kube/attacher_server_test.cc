// The controller external-attacher in an agent, with the settings and the ClusterRole that are
// shipped, before a real API server and a driver that writes down what it has attached. With
// LONGSHORE_LONG=1 the driver is killed ten times as often.
#include <algorithm>
#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/agent_process.h"
#include "tests/support/attachment_objects.h"
#include "tests/support/build_tree.h"
#include "tests/support/csi_driver/attached_volumes.h"
#include "tests/support/csi_driver_process.h"
#include "tests/support/eventually.h"
#include "tests/support/is_long.h"
#include "tests/support/is_thorough.h"
#include "tests/support/kube_api_server.h"
#include "tests/support/kube_objects.h"
#include "tests/support/program_run.h"
#include "tests/support/read_file.h"

namespace longshore::test {
namespace {

namespace json = boost::json;
using Catch::Matchers::Contains;
using Names = std::vector<std::string>;

const std::string kRole = "csi-external-attacher";
const std::string kFinalizer = "external-attacher/test-csi-example";
// Of the API server's own; nobody here takes it away.
const std::string kProtection = "kubernetes.io/pv-protection";

std::string shipped_role() {
  return read_file(source_tree() + "/deploy/kubernetes/rbac/external-attacher.yaml");
}

// What is attached to which of two nodes follows from its number.
std::string node_of(const std::string& number) { return number.back() % 2 == 0 ? "even" : "odd"; }

json::array finalizers_of(const json::value& object) {
  const json::value* const list = object.at("metadata").as_object().if_contains("finalizers");
  return list ? list->as_array() : json::array();
}

class Cluster {
 public:
  Cluster() {
    driver.controller = {"--volumes", directory / "volumes", "--faults", directory / "faults"};
    identity = server.identity(kRole, shipped_role(),
                               {{"storage.k8s.io"}, {"volumeattachments"}, {"patch"}});
    Names nodes;
    for (const std::string node : {"even", "odd"}) {
      nodes.push_back(json::serialize(csi_node(node, "i-" + node)));
    }
    objects.make(kNodes, nodes);
    configure();
    driver.run();
    start_agent();
  }

  void start_agent() {
    agent.emplace(directory);
    INFO(directory.log());
    REQUIRE(agent->serves());
  }

  // ---- objects, by their numbers
  void make(const Names& numbers) {
    Names made_volumes;
    Names made_attachments;
    for (const std::string& number : numbers) {
      made_volumes.push_back(
          json::serialize(persistent_volume("pv-" + number, "volume-" + number)));
      made_attachments.push_back(
          json::serialize(volume_attachment("va-" + number, "pv-" + number, node_of(number))));
    }
    objects.make(kVolumes, made_volumes);
    objects.make(kAttachments, made_attachments);
  }
  void remove(const std::string& path, const std::string& prefix, const Names& numbers) {
    Names names;
    for (const std::string& number : numbers) names.push_back(prefix + number);
    objects.remove(path, names);
  }
  void detach(const Names& numbers) { remove(kAttachments, "va-", numbers); }

  size_t attached() const {
    return static_cast<size_t>(std::ranges::count_if(attachments, [](const auto& each) {
      const json::value* const status = each.second.as_object().if_contains("status");
      return status && status->at("attached") == true;
    }));
  }
  size_t released() const {
    return static_cast<size_t>(std::ranges::count_if(volumes, [](const auto& each) {
      return finalizers_of(each.second) == json::array{json::value(kProtection)};
    }));
  }

  // ---- waiting
  bool attaches(size_t count) {
    return objects.reaches(count, [&] { return attached(); });
  }
  bool detaches(size_t left) {
    constexpr size_t kMany = 100'000;  // so that it counts up
    return objects.reaches(kMany - left, [&] { return kMany - attachments.size(); });
  }

  // ---- what all say in the end
  void check_attached(const Names& numbers) {
    // Volumes are followed by another watch than attachments, which may come later.
    const json::array held = {json::value(kProtection), json::value(kFinalizer)};
    CHECK(objects.reaches(numbers.size(), [&] {
      return static_cast<size_t>(std::ranges::count_if(numbers, [&](const std::string& number) {
        return finalizers_of(volumes.at("pv-" + number)) == held;
      }));
    }));
    AttachedVolumes::Nodes expected;
    for (const std::string& number : numbers) {
      const std::string node = "i-" + node_of(number);
      expected["volume-" + number] = {node};
      INFO(number);
      const json::value& attachment = attachments.at("va-" + number);
      CHECK(finalizers_of(attachment) == json::array{json::value(kFinalizer)});
      CHECK(attachment.at("metadata").at("annotations") ==
            json::object{{"csi.alpha.kubernetes.io/node-id", node}});
      CHECK(attachment.at("status") ==
            json::object{{"attached", true},
                         {"attachmentMetadata", {{"device", "/dev/volume-" + number}}}});
    }
    CHECK(attachments.size() == numbers.size());
    CHECK(driver_has() == expected);
  }
  void check_detached() {
    CHECK(attachments.empty());
    CHECK(driver_has() == AttachedVolumes::Nodes());
  }
  // The volumes can go.
  void check_released(const Names& numbers) {
    remove(kVolumes, "pv-", numbers);
    CHECK(objects.reaches(volumes.size(), [&] { return released(); }));
  }

  AttachedVolumes::Nodes driver_has() const {
    return AttachedVolumes(directory / "volumes").nodes();
  }
  // How often the driver was asked for this since its first start.
  size_t driver_calls(const std::string& method) const {
    std::ifstream file(driver.calls);
    size_t calls = 0;
    for (std::string line; std::getline(file, line);) calls += line.starts_with(method) ? 1 : 0;
    return calls;
  }
  void slow_down(const std::string& milliseconds) const {
    write_file(directory / "faults", "ControllerPublishVolume * slow " + milliseconds +
                                         "\nControllerUnpublishVolume * slow " + milliseconds +
                                         "\n");
  }

  std::string shown() const {
    return run_program({built_program("longshorectl"), "--socket", directory.control_socket(),
                        "controllers", "external-attacher"})
        .output;
  }
  bool shows(const std::string& text) const {
    return eventually([&] { return shown().find(text) != std::string::npos; });
  }

  KubeApiServer server{{.audit_log = true}};
  KubeObjects objects{server.admin()};
  const KubeObjects::ByName& attachments = objects.follow(kAttachments);
  const KubeObjects::ByName& volumes = objects.follow(kVolumes);
  AgentDirectory directory;
  Driver driver{directory};
  KubeIdentity identity;
  std::optional<AgentProcess> agent;

 private:
  // With the driver's socket in place of the one that the shipped settings have. What is being
  // attached when the driver is asked for its list is attached again, which would be counted.
  void configure() const {
    std::string settings =
        read_file(source_tree() + "/plugins/external-attacher/external-attacher.toml");
    const std::string socket = "/csi/csi.sock";
    for (size_t at = 0; (at = settings.find(socket, at)) != settings.npos;) {
      settings.replace(at, socket.size(), driver.socket);
      at += driver.socket.size();
    }
    settings.insert(settings.find("settings.csi_address"), "settings.reconcile_sync = \"1h\"\n");
    directory.configure("[agent.kube]\nkubeconfig = \"" + identity.kubeconfig + "\"\n" + settings);
  }
};

Names numbers_from(size_t first, size_t count) {
  Names numbers;
  for (size_t i = first; i < first + count; ++i) numbers.push_back(std::to_string(i));
  return numbers;
}

// ---- requests

using Requests = std::map<std::string, size_t>;  // "patch persistentvolumes"

Requests requests_of(const Cluster& cluster) {
  Requests requests;
  for (const KubeRequestMade& made : cluster.server.audited(cluster.identity.user)) {
    std::string text = made.verb + ' ' + made.resource;
    if (made.status != 200) text += " answered " + std::to_string(made.status);
    ++requests[text];
  }
  return requests;
}

// The last line may come after the answer that it tells of.
Requests await_requests(const Cluster& cluster, const std::string& what, size_t count) {
  Requests requests;
  CHECK(eventually([&] {
    requests = requests_of(cluster);
    return requests[what] >= count;
  }));
  return requests;
}

// "500 patch persistentvolumes", and what was refused. Lists and watches may be made again: the
// server ends a watch whose reader is slow.
Names writes_of(const Requests& requests) {
  Names texts;
  for (const auto& [request, count] : requests) {
    const bool is_reading = request.starts_with("list ") || request.starts_with("watch ");
    const bool is_refused = request.find(" answered ") != request.npos;
    if (!is_reading || is_refused) texts.push_back(std::to_string(count) + ' ' + request);
  }
  return texts;
}

// What the role allows, as the server has it.
std::set<std::string> allowed(const KubeApiServer& server) {
  const json::value role =
      json::parse(server
                      .request(server.admin(), "GET",
                               "/apis/rbac.authorization.k8s.io/v1/clusterroles/" + kRole)
                      .body);
  std::set<std::string> verbs;
  for (const json::value& rule : role.at("rules").as_array()) {
    for (const json::value& verb : rule.at("verbs").as_array()) {
      for (const json::value& resource : rule.at("resources").as_array()) {
        verbs.insert(json::value_to<std::string>(verb) + ' ' +
                     json::value_to<std::string>(resource));
      }
    }
  }
  return verbs;
}

// ---- what happens

void print_time(const char* what, size_t count, std::chrono::steady_clock::time_point since) {
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - since;
  std::printf("%zu volumes %s in %.1f s\n", count, what, time.count());
  std::fflush(stdout);
}

void check_many(Cluster& cluster) {
  const size_t count = is_thorough() ? 500 : 100;
  const Names numbers = numbers_from(1000, count);
  auto since = std::chrono::steady_clock::now();
  cluster.make(numbers);
  REQUIRE(cluster.attaches(count));
  print_time("attached", count, since);
  cluster.check_attached(numbers);
  CHECK(cluster.driver_calls("ControllerPublishVolume") == count);
  Requests expected = {{"patch persistentvolumes", count},
                       {"patch volumeattachments", count},
                       {"patch volumeattachments/status", count}};
  CHECK(writes_of(await_requests(cluster, "patch volumeattachments/status", count)) ==
        writes_of(expected));

  since = std::chrono::steady_clock::now();
  cluster.detach(numbers);
  REQUIRE(cluster.detaches(0));
  print_time("detached", count, since);
  cluster.check_detached();
  CHECK(cluster.driver_calls("ControllerUnpublishVolume") == count);
  expected["patch volumeattachments"] += count;
  CHECK(writes_of(await_requests(cluster, "patch volumeattachments", 2 * count)) ==
        writes_of(expected));

  cluster.check_released(numbers);
  expected["patch persistentvolumes"] += count;
  CHECK(writes_of(await_requests(cluster, "patch persistentvolumes", 2 * count)) ==
        writes_of(expected));
}

// The log has a watch when it ends.
void check_role(Cluster& cluster) {
  CHECK(cluster.agent->stop() == 0);
  for (const std::string watch : {"watch csinodes", "watch persistentvolumes"}) {
    await_requests(cluster, watch, 1);
  }
  std::set<std::string> used;
  for (const auto& [request, count] : await_requests(cluster, "watch volumeattachments", 1)) {
    used.insert(request);
  }
  CHECK(used == allowed(cluster.server));
  cluster.start_agent();
}

// How often the driver was killed at work.
struct DriverKills {
  size_t while_attaching = 0;
  size_t while_detaching = 0;
};

// So many of both are tried.
DriverKills check_driver_kills(Cluster& cluster, size_t first, size_t kills) {
  constexpr size_t kEach = 10;
  const Names all = numbers_from(first, kills * kEach);
  const auto killed_during = [&](const std::string& method, size_t calls, const auto& ask) {
    const size_t wanted = cluster.driver_calls(method) + calls;
    ask();
    const bool is_at_work = eventually([&] { return cluster.driver_calls(method) >= wanted; });
    INFO(cluster.directory.log());
    REQUIRE(is_at_work);
    const bool is_killed = cluster.driver.process->stop(SIGKILL) == 128 + SIGKILL;
    cluster.driver.run();
    return is_killed;
  };
  DriverKills done;
  cluster.slow_down("20");
  for (size_t i = 0; i < kills; ++i) {
    const auto make = [&] { cluster.make(numbers_from(first + i * kEach, kEach)); };
    if (killed_during("ControllerPublishVolume", 1 + i % kEach, make)) ++done.while_attaching;
  }
  INFO(cluster.directory.log());
  REQUIRE(cluster.attaches(all.size()));
  cluster.check_attached(all);
  for (size_t i = 0; i < kills; ++i) {
    const auto detach = [&] { cluster.detach(numbers_from(first + i * kEach, kEach)); };
    if (killed_during("ControllerUnpublishVolume", 1 + i % kEach, detach)) ++done.while_detaching;
  }
  REQUIRE(cluster.detaches(0));
  cluster.check_detached();
  cluster.check_released(all);
  return done;
}

void check_server_kills(Cluster& cluster) {
  constexpr size_t kCount = 40;
  const Names numbers = numbers_from(7000, kCount);
  cluster.slow_down("200");
  cluster.make(numbers);
  REQUIRE(cluster.attaches(1));
  cluster.server.kill_server();
  cluster.server.start_server();
  REQUIRE(cluster.attaches(kCount));
  cluster.check_attached(numbers);
  cluster.detach(numbers);
  REQUIRE(cluster.detaches(kCount - 1));
  cluster.server.kill_server();
  cluster.server.start_server();
  INFO(cluster.directory.log());
  REQUIRE(cluster.detaches(0));
  cluster.check_detached();
  cluster.check_released(numbers);
}

// What the role lacks is told with its verb and resource, and done once it is allowed.
void check_permissions(Cluster& cluster) {
  const std::string path = "/apis/rbac.authorization.k8s.io/v1/clusterroles/" + kRole;
  const std::string shipped = shipped_role();
  const auto allow = [&](const std::string& role) {
    REQUIRE(cluster.server.request(cluster.server.admin(), "PUT", path, role).status == 200);
  };
  const auto without = [&](const std::string& part, const std::string& other) {
    std::string role = shipped;
    const size_t at = role.find(part);
    REQUIRE(at != role.npos);
    return role.replace(at, part.size(), other);
  };
  CHECK(cluster.agent->stop() == 0);
  allow(without("[csinodes]", "[csidrivers]"));
  cluster.start_agent();
  CHECK(
      cluster.shows("the verb list on the resource csinodes of the API group \"storage.k8s.io\""));
  allow(without("[volumeattachments/status]", "[volumeattachments/scale]"));
  const Names numbers = numbers_from(8000, 1);
  cluster.make(numbers);
  CHECK(cluster.shows("the verb patch on the resource volumeattachments/status"));
  CHECK_THAT(cluster.shown(), !Contains("csinodes"));
  allow(shipped);
  REQUIRE(cluster.attaches(1));
  CHECK(eventually([&] { return cluster.shown().find("the verb") == std::string::npos; }));
  cluster.check_attached(numbers);
}

}  // namespace

TEST_CASE("external-attacher attaches what is asked for, with the fewest requests, come what may") {
  Cluster cluster;
  check_many(cluster);
  check_role(cluster);
  const DriverKills kills = check_driver_kills(cluster, 2000, 3);
  CHECK(kills.while_attaching == 3);
  CHECK(kills.while_detaching == 3);
  check_server_kills(cluster);
  check_permissions(cluster);
  CHECK(cluster.agent->stop() == 0);
}

// In new clusters, where neither objects nor the driver's calls pile up: of 100 kills each most of
// the three minutes is the agent's pause before it asks the driver whether it is ready.
TEST_CASE("A driver that is killed again and again has nothing twice", "[thorough]") {
  constexpr size_t kKills = 50;
  const size_t clusters = is_long() ? 10 : 1;
  DriverKills done;
  for (size_t i = 0; i < clusters; ++i) {
    Cluster cluster;
    const DriverKills more = check_driver_kills(cluster, 2000, kKills);
    done.while_attaching += more.while_attaching;
    done.while_detaching += more.while_detaching;
    std::printf("The driver was killed %zu times while it attached, %zu while it detached\n",
                done.while_attaching, done.while_detaching);
    std::fflush(stdout);
    CHECK(cluster.agent->stop() == 0);
  }
  CHECK(done.while_attaching == clusters * kKills);
  CHECK(done.while_detaching == clusters * kKills);
}

}  // namespace longshore::test
