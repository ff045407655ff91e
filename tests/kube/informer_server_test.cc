// Informers before a real API server, which is killed and comes back.
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <string>
#include <utility>

#include "kube/client.h"
#include "kube/informers.h"
#include "kube/subscription.h"
#include "tests/support/eventually.h"
#include "tests/support/kube_api_server.h"

namespace longshore::test {
namespace {

using Catch::Matchers::Contains;
using Type = kube::CacheMessage::Type;

const std::string kConfigMaps = "/api/v1/namespaces/default/configmaps";
const kube::Selection kTested{"/api/v1/configmaps", "test=informer", ""};

std::string config_map(const std::string& name, const std::string& value) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
         R"(","labels":{"test":"informer"}},"data":{"value":")" + value + "\"}}";
}

// An informer of an identity, and what a subscriber has heard of it.
class Following {
 public:
  explicit Following(const KubeIdentity& identity)
      : client_(io_, *kube::read_kubeconfig(identity.kubeconfig)),
        timing_(io_),
        informers_(client_, timing_),
        informer_(informers_.find(kTested)),
        subscription_(cache_of(informer_), [this] { is_ready_ = true; }) {}

  // Works until the condition comes true.
  template <typename Condition>
  bool comes(const Condition& condition) {
    return eventually([&] {
      io_.restart();
      io_.run_for(std::chrono::milliseconds(5));
      if (is_ready_) hear();
      return condition();
    });
  }

  void hear() {
    is_ready_ = false;
    while (const auto message = subscription_.next()) {
      ++heard[message->type];
      if (message->type == Type::kDelete) view.erase(message->key);
      if (message->object && message->type != Type::kDelete) {
        view[message->key] = message->object->json;
      }
    }
  }

  bool has(const std::string& name, const std::string& value) const {
    const auto found = view.find("default/" + name);
    return found != view.end() &&
           found->second.find("\"value\":\"" + value + '"') != std::string::npos;
  }

  std::string revision_of(const std::string& name) {
    const auto object = kube::parse_object(view.at("default/" + name));
    REQUIRE(object);
    return object->resource_version;
  }

  kube::Outcome ask(kube::Request request) {
    std::optional<kube::Outcome> outcome;
    client_.request(std::move(request), [&](kube::Outcome done) { outcome = std::move(done); });
    REQUIRE(comes([&] { return outcome.has_value(); }));
    return *std::move(outcome);
  }

  kube::Client& client() { return client_; }
  kube::Informer& informer() { return *informer_; }

  std::map<std::string, std::string> view;
  std::map<Type, int> heard;

 private:
  boost::asio::io_context io_{1};
  kube::Client client_;
  kube::IoTiming timing_;
  kube::Informers informers_;
  std::shared_ptr<kube::Informer> informer_;
  bool is_ready_ = true;
  kube::Subscription subscription_;
};

// What an informer lacks is said, and had once it is given.
void check_permissions(KubeApiServer& server) {
  const KubeIdentity reader = server.identity("reader", {{{""}, {"configmaps"}, {"list"}}});
  Following following(reader);
  const auto cause = [&] { return following.informer().state().cause; };
  REQUIRE(following.comes([&] { return !cause().empty(); }));
  CHECK_THAT(cause(),
             Contains(reader.user) && Contains("the verb watch on the resource configmaps"));
  CHECK(following.heard[Type::kSynced] == 1);
  const std::string role = cluster_role("reader", {{{""}, {"configmaps"}, {"list", "watch"}}});
  REQUIRE(server
              .request(server.admin(), "PUT",
                       "/apis/rbac.authorization.k8s.io/v1/clusterroles/reader", role)
              .status == 200);
  CHECK(following.comes([&] { return cause().empty(); }));
}

TEST_CASE("an informer knows all again after the server was killed and things went on without it") {
  KubeApiServer server;
  const KubeIdentity& admin = server.admin();
  const auto request = [&](const std::string& method, const std::string& path,
                           const std::string& body = {}) {
    const int status = server.request(admin, method, path, body).status;
    REQUIRE((status == 200 || status == 201));
  };
  for (const std::string name : {"kept", "changed", "deleted"}) {
    request("POST", kConfigMaps, config_map(name, "1"));
  }
  Following following(server.identity("follower", {{{""}, {"configmaps"}, {"list", "watch"}}}));
  REQUIRE(following.comes([&] { return following.heard[Type::kSynced] == 1; }));
  CHECK(following.view.size() == 3);
  CHECK(following.heard[Type::kInitial] == 3);

  // As they happen.
  request("POST", kConfigMaps, config_map("made", "1"));
  request("PATCH", kConfigMaps + "/made", R"({"data":{"value":"2"}})");
  request("POST", kConfigMaps, config_map("gone", "1"));
  REQUIRE(
      following.comes([&] { return following.has("made", "2") && following.has("gone", "1"); }));
  request("DELETE", kConfigMaps + "/gone");
  REQUIRE(following.comes([&] { return following.view.size() == 4; }));
  CHECK_FALSE(following.informer().state().behind_since);

  server.kill_server();
  REQUIRE(following.comes(
      [&] { return following.informer().state().behind_since && following.view.size() == 4; }));
  CHECK(following.informer().cache().size() == 4);
  server.start_server();
  request("PATCH", kConfigMaps + "/changed", R"({"data":{"value":"2"}})");
  request("DELETE", kConfigMaps + "/deleted");
  request("POST", kConfigMaps, config_map("later", "1"));
  CHECK(following.comes([&] {
    return following.has("changed", "2") && following.has("later", "1") &&
           !following.view.contains("default/deleted");
  }));
  CHECK(following.comes([&] { return !following.informer().state().behind_since; }));
  CHECK(following.view.size() == 4);
  // It is the same server as before, and most has not changed.
  CHECK(following.heard[Type::kReset] == 0);
  CHECK(following.heard[Type::kInitial] == 3);
  request("DELETE", kConfigMaps + "/later");
  CHECK(following.comes([&] { return !following.view.contains("default/later"); }));
}

TEST_CASE("an informer lists again when etcd has forgotten where its watch stood", "[thorough]") {
  KubeApiServer server{{.audit_log = true, .forgets_soon = true}};
  const KubeIdentity& admin = server.admin();
  for (const std::string name : {"kept", "changed", "deleted"}) {
    REQUIRE(server.request(admin, "POST", kConfigMaps, config_map(name, "1")).status == 201);
  }
  const KubeIdentity reader =
      server.identity("reader", {{{""}, {"configmaps"}, {"list", "watch"}}});
  Following following(reader);
  REQUIRE(following.comes([&] { return following.heard[Type::kSynced] == 1; }));
  const auto lists = [&] {
    return std::ranges::count(server.audited(reader.user), "list", &KubeRequestMade::verb);
  };
  const auto lists_before = lists();
  const std::string revision = following.revision_of("deleted");

  // It hears nothing meanwhile.
  REQUIRE(server.request(admin, "PATCH", kConfigMaps + "/changed", R"({"data":{"value":"2"}})")
              .status == 200);
  REQUIRE(server.request(admin, "DELETE", kConfigMaps + "/deleted").status == 200);
  REQUIRE(eventually([&] {
    return server.request(admin, "GET", kConfigMaps + "?limit=1&resourceVersion=" + revision)
               .status == 410;
  }));
  server.kill_server();  // which remembers more than etcd does
  server.start_server();
  CHECK(following.comes([&] {
    return following.has("changed", "2") && !following.view.contains("default/deleted");
  }));
  CHECK(following.comes([&] { return !following.informer().state().behind_since; }));
  CHECK(following.has("kept", "1"));
  CHECK(lists() > lists_before);
  CHECK(following.heard[Type::kReset] == 0);
  REQUIRE(server.request(admin, "DELETE", kConfigMaps + "/changed").status == 200);
  CHECK(following.comes([&] { return following.view.size() == 1; }));
}

TEST_CASE("an informer reads a list of pages, keeps no managedFields, and takes replies of writes",
          "[thorough]") {
  KubeApiServer server;
  check_permissions(server);
  Following following(server.admin());
  REQUIRE(following.comes([&] { return following.heard[Type::kSynced] == 1; }));
  constexpr int kCount = 501;
  int made = 0;
  for (int i = 0; i < kCount; ++i) {
    following.client().request({.method = kube::Method::kPost,
                                .path = kConfigMaps,
                                .body = config_map("n" + std::to_string(i), "1")},
                               [&](const kube::Outcome& outcome) { made += outcome ? 1 : 0; });
  }
  REQUIRE(following.comes([&] { return made == kCount; }));
  REQUIRE(following.comes([&] { return following.view.size() == kCount; }));

  Following other(server.admin());
  REQUIRE(other.comes([&] { return other.heard[Type::kSynced] == 1; }));
  // An object is the same, whether a watch or a list has brought it.
  CHECK(other.view == following.view);
  const std::string json = other.view["default/n7"];
  CHECK_THAT(json, Catch::StartsWith(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{)"));
  CHECK_THAT(json, !Contains("managedFields"));
  CHECK_THAT(server.request(server.admin(), "GET", kConfigMaps + "/n7").body,
             Contains("managedFields"));

  kube::Outcome outcome = other.ask({.method = kube::Method::kPatch,
                                     .path = kConfigMaps + "/n7",
                                     .body = R"({"data":{"value":"2"}})",
                                     .content_type = "application/merge-patch+json"});
  REQUIRE(outcome);
  const auto object = kube::parse_object(outcome.response().body);
  REQUIRE(object);
  other.informer().cache().take(*object);
  other.hear();
  CHECK(other.has("n7", "2"));
  CHECK(following.comes([&] { return following.has("n7", "2"); }));
  CHECK(following.view["default/n7"] == other.view["default/n7"]);

  // As large as the server takes one.
  const std::string value(1'000'000, 'x');
  REQUIRE(server.request(server.admin(), "POST", kConfigMaps, config_map("large", value)).status ==
          201);
  CHECK(following.comes([&] { return following.has("large", value); }));
  Following late(server.admin());
  CHECK(late.comes([&] { return late.has("large", value); }));
}

}  // namespace
}  // namespace longshore::test
