#include "sidecars/api_server_check.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <utility>

#include "kube/access_review.h"
#include "kube/leader_elections.h"
#include "kube/lease.h"
#include "kube/raw_json.h"
#include "kube/wanted_lease.h"

namespace longshore::sidecars {
namespace {

using kube::ApiReason;
using kube::Outcome;
using kube::Request;
using kube::ResourcePath;

constexpr std::chrono::seconds kAnswerPatience{10};
// More is too much for certificates and tokens that were made just now.
constexpr std::chrono::seconds kClockLeeway{60};
constexpr const char* kPermissions = "what the API server allows";

bool needs_api_server(const config::ModuleSettings& module) {
  return module.enabled && (!module.kube_grants.empty() || !module.leader_election.lease.empty());
}

ResourcePath resource_of(const std::string& group, const std::string& resource) {
  const size_t slash = std::min(resource.find('/'), resource.size());
  ResourcePath path;
  path.group = group;
  path.resource = resource.substr(0, slash);
  path.subresource = resource.substr(std::min(slash + 1, resource.size()));
  return path;
}

// " as version v1.29.3", if it says so.
std::string version_text(const std::string& body) {
  if (!kube::is_json(body)) return {};
  const auto version = kube::json_string(kube::json_member(kube::json_members(body), "gitVersion"));
  return version ? " as version " + *version : std::string();
}

class ApiServerCheck {
 public:
  ApiServerCheck(kube::ApiLoop& loop, const config::Loaded& loaded, const DriverNames& drivers,
                 CheckReport& report)
      : loop_(loop), loaded_(loaded), drivers_(drivers), report_(report) {}

  void run() {
    loop_.post([this] { connect(); });
    loop_.run();
  }

 private:
  using Step = std::function<void()>;  // it ends with next(), now or when its answer comes

  struct Permission {
    std::string who;
    std::string verb;
    ResourcePath resource;
    std::string role_file;  // empty: none is known

    std::string text() const { return kube::permission_text(verb, resource); }
  };

  void next() {
    if (steps_.empty()) return loop_.stop();
    const Step step = std::move(steps_.front());
    steps_.pop_front();
    step();
  }

  void ask(Request request, std::function<void(Outcome&)> on_answer) {
    request.deadline = std::chrono::steady_clock::now() + kAnswerPatience;
    access_->request(std::move(request), [this, on_answer = std::move(on_answer)](Outcome outcome) {
      on_answer(outcome);
      // One that does not answer is not asked again and again.
      if (!outcome && outcome.error().reason() == ApiReason::kNoAnswer && !steps_.empty()) {
        steps_.clear();
        report_.unchecked("what else the API server allows");
      }
      next();
    });
  }

  void connect() {
    const std::string& kubeconfig = loaded_.configuration.agent.kube.kubeconfig;
    auto access =
        loop_.access({.kubeconfig = kubeconfig,
                      .warn = [this](const std::string& sentence) { report_.warning(sentence); }});
    if (!access) {
      report_.wrong(Error(StatusCode::kFailedPrecondition, "ask the API server")
                        .because(access.error().message())
                        .message());
      report_.unchecked(kPermissions);
      return next();
    }
    access_ = *std::move(access);
    report_.ok(kubeconfig.empty() ? "the Pod's service account can be read"
                                  : "the kubeconfig \"" + kubeconfig + "\" can be read");
    Request version;
    version.path = "/version";
    ask(std::move(version), [this](Outcome& outcome) { take_version(outcome); });
  }

  void take_version(Outcome& outcome) {
    // Where its version is not for everybody the server has answered, too.
    if (!outcome && outcome.error().reason() != ApiReason::kForbidden) {
      report_.wrong(outcome.error().message());
      return report_.unchecked(kPermissions);
    }
    report_.ok("the API server answers" +
               (outcome ? version_text(outcome.response().body) : std::string()));
    if (outcome) {
      if (const auto date = kube::parse_http_date(outcome.response().date)) check_clock(*date);
    }
    for (const config::ModuleSettings& module : loaded_.configuration.modules) {
      if (!needs_api_server(module)) continue;
      add_role(module);
      add_lease(module);
    }
  }

  void check_clock(std::chrono::sys_seconds server) {
    const auto ahead = std::chrono::floor<std::chrono::seconds>(loop_.timing().now()) - server;
    if (std::chrono::abs(ahead) <= kClockLeeway) {
      return report_.ok("the clock of this node agrees with the API server's");
    }
    report_.wrong("the clock of this node is " + std::to_string(std::chrono::abs(ahead).count()) +
                  " seconds" + (ahead.count() > 0 ? " ahead of" : " behind") +
                  " the API server's: certificates may be taken for expired, or for not valid yet; "
                  "set the clock");
  }

  void add_role(const config::ModuleSettings& module) {
    const auto schema = loaded_.schemas.find(module.name);
    const std::string file = schema == loaded_.schemas.end() ? "" : schema->second.role_file;
    std::set<std::string> added;  // one may stand in several grants
    for (const config::KubeGrant& grant : module.kube_grants) {
      for (const std::string& group : grant.api_groups) {
        for (const std::string& resource : grant.resources) {
          for (const std::string& verb : grant.verbs) {
            const Permission permission{module.name, verb, resource_of(group, resource), file};
            if (added.insert(permission.text()).second) add_permission(permission);
          }
        }
      }
    }
  }

  // `is_allowed`, where there is one, becomes false unless it is.
  void add_permission(const Permission& permission, std::shared_ptr<bool> is_allowed = nullptr) {
    steps_.emplace_back([this, permission, is_allowed = std::move(is_allowed)] {
      ask(kube::access_review(permission.verb, permission.resource),
          [this, permission, is_allowed](Outcome& outcome) {
            const bool is_so = take_access(permission, outcome);
            if (is_allowed && !is_so) *is_allowed = false;
          });
    });
  }

  bool take_access(const Permission& permission, Outcome& outcome) {
    const auto access = outcome ? kube::parse_access(outcome.response().body)
                                : Result<kube::Access>(Error(outcome.error()));
    if (!access) {
      report_.wrong("cannot find out whether " + permission.who + " is allowed " +
                    permission.text() + ": " + access.error().message());
      return false;
    }
    if (access->is_allowed) {
      report_.ok(permission.who + " is allowed " + permission.text());
      return true;
    }
    const std::string text = permission.who + " is not allowed " + permission.text();
    std::string more = access->reason.empty() ? "" : ": " + access->reason;
    if (!permission.role_file.empty()) more += "; the role is in " + permission.role_file;
    if (permission.resource.group.empty() && permission.resource.resource == "secrets") {
      // Better by Roles, of which the server has not been asked.
      report_.warning(text + " in all namespaces, and needs it where objects name secrets" + more +
                      "; what Roles allow in single namespaces is not checked");
    } else {
      report_.wrong(text + more);
    }
    return false;
  }

  void add_lease(const config::ModuleSettings& module) {
    const kube::WantedLease wanted = kube::wanted_lease(module);
    if (wanted.settings.lease.empty() || !leases_.insert(wanted).second) return;
    config::LeaderElectionSettings settings = wanted.settings;
    const auto driver = drivers_.find(wanted.driver);
    const bool is_named = wanted.driver.empty() || driver != drivers_.end();
    if (driver != drivers_.end()) {
      settings.lease.replace(settings.lease.find(config::kDriverInLease),
                             config::kDriverInLease.size(), driver->second);
    }
    const kube::LeaseClaim claim = kube::lease_claim(settings, "csi-sidecars --check");
    const ResourcePath leases{.group = "coordination.k8s.io",
                              .version = "v1",
                              .name_space = claim.name_space,
                              .resource = "leases",
                              .name = {},
                              .subresource = {}};
    const auto is_allowed = std::make_shared<bool>(true);
    for (const char* const verb : {"get", "create", "update"}) {
      add_permission({"leader election", verb, leases, kube::kLeaseRoleFile}, is_allowed);
    }
    if (!is_named) {
      steps_.emplace_back([this, lease = settings.lease] {
        report_.unchecked("the lease " + lease + ": its driver has not told its name");
        next();
      });
      return;
    }
    steps_.emplace_back([this, is_allowed, leases, claim] {
      // What is missing is told.
      if (!*is_allowed) return next();
      look_at_lease(leases, claim);
    });
  }

  void look_at_lease(const ResourcePath& leases, const kube::LeaseClaim& claim) {
    Request get;
    ResourcePath path = leases;
    path.name = claim.name;
    get.path = path.text();
    ask(std::move(get), [this, leases, claim](Outcome& outcome) {
      if (outcome) return take_lease(claim, outcome.response().body);
      if (outcome.error().reason() != ApiReason::kNotFound) {
        return report_.wrong(outcome.error().message());
      }
      steps_.push_front([this, leases, claim] { try_lease(leases, claim); });
    });
  }

  void take_lease(const kube::LeaseClaim& claim, const std::string& body) {
    const auto lease = kube::parse_lease(body);
    if (!lease) return report_.wrong(lease.error().message());
    report_.ok("the lease " + claim.text() + ' ' +
               (lease->holder.empty() ? "is free"
                                      : "can be taken when its holder, " + lease->holder +
                                            ", does not renew it any more"));
  }

  // Whether it could be made there: the namespace exists, and the name is one.
  void try_lease(const ResourcePath& leases, const kube::LeaseClaim& claim) {
    Request post;
    post.method = kube::Method::kPost;
    post.path = leases.text();
    post.query = {{"dryRun", "All"}};
    post.body = kube::new_lease(claim, loop_.timing().now());
    ask(std::move(post), [this, claim](Outcome& outcome) {
      // Another replica may make it meanwhile.
      if (outcome || outcome.error().reason() == ApiReason::kAlreadyExists) {
        return report_.ok("the lease " + claim.text() + " can be made");
      }
      report_.wrong("the lease " + claim.text() +
                    " is not there, and cannot be made: " + outcome.error().message());
    });
  }

  kube::ApiLoop& loop_;
  const config::Loaded& loaded_;
  const DriverNames& drivers_;
  CheckReport& report_;
  std::unique_ptr<kube::ApiAccess> access_;
  std::deque<Step> steps_;
  std::set<kube::WantedLease> leases_;
};

}  // namespace

bool asks_api_server(const config::Configuration& configuration) {
  return std::ranges::any_of(configuration.modules, needs_api_server);
}

void check_api_server(kube::ApiLoop& loop, const config::Loaded& loaded, const DriverNames& drivers,
                      CheckReport& report) {
  ApiServerCheck(loop, loaded, drivers, report).run();
}

}  // namespace longshore::sidecars
