#include "tests/support/kube_objects.h"

#include <boost/json/parse.hpp>
#include <stdexcept>
#include <utility>

#include "tests/support/eventually.h"

namespace longshore::test {

KubeObjects::KubeObjects(const KubeIdentity& identity)
    : client_(io_, *kube::read_kubeconfig(identity.kubeconfig), {.max_connections = 32}) {}

void KubeObjects::make(const std::string& path, const std::vector<std::string>& objects) {
  std::vector<kube::Request> requests;
  for (const std::string& object : objects) {
    kube::Request& request = requests.emplace_back();
    request.method = kube::Method::kPost;
    request.path = path;
    request.body = object;
  }
  ask(std::move(requests));
}

void KubeObjects::remove(const std::string& path, const std::vector<std::string>& names) {
  std::vector<kube::Request> requests;
  for (const std::string& name : names) {
    kube::Request& request = requests.emplace_back();
    request.method = kube::Method::kDelete;
    request.path = path + '/' + name;
  }
  ask(std::move(requests));
}

void KubeObjects::patch(const std::vector<std::string>& paths, const std::string& merge_patch) {
  std::vector<kube::Request> requests;
  for (const std::string& path : paths) {
    kube::Request& request = requests.emplace_back();
    request.method = kube::Method::kPatch;
    request.path = path;
    request.body = merge_patch;
    request.content_type = "application/merge-patch+json";
  }
  ask(std::move(requests));
}

void KubeObjects::ask(std::vector<kube::Request> requests) {
  std::vector<std::string> failures;
  std::vector<std::shared_ptr<kube::Call>> calls;
  size_t done = 0;
  for (kube::Request& request : requests) {
    calls.push_back(client_.request(std::move(request), [&](const kube::Outcome& outcome) {
      ++done;
      if (!outcome) failures.push_back(outcome.error().message());
    }));
  }
  const bool is_done = reaches(calls.size(), [&] { return done; });
  if (!is_done) {
    for (const auto& call : calls) call->cancel();  // they write to what is here
    while (done < calls.size()) hear(std::chrono::milliseconds(5));
  }
  if (failures.empty()) return;
  throw std::runtime_error(std::to_string(failures.size()) + " of " + std::to_string(calls.size()) +
                           " requests failed: " + failures.front());
}

const KubeObjects::ByName& KubeObjects::follow(const std::string& path) {
  Followed& followed = followed_[path];
  if (!followed.cache) {
    followed.cache = cache_of(informers_.find({path, "", ""}));
    followed.subscription = std::make_unique<kube::Subscription>(followed.cache, [] {});
  }
  return followed.objects;
}

bool KubeObjects::reaches(size_t wanted, const std::function<size_t()>& count) {
  for (size_t last = count(); last < wanted; last = count()) {
    const bool has_grown = eventually([&] {
      hear(std::chrono::milliseconds(5));
      return count() > last;
    });
    if (!has_grown) return false;
  }
  return true;
}

void KubeObjects::hear(std::chrono::milliseconds time) {
  using Type = kube::CacheMessage::Type;
  io_.restart();
  io_.run_for(time);
  for (auto& [path, followed] : followed_) {
    while (const auto message = followed.subscription->next()) {
      if (message->type == Type::kReset) followed.objects.clear();
      if (message->type == Type::kDelete) followed.objects.erase(message->key);
      if (message->type == Type::kInitial || message->type == Type::kUpsert) {
        followed.objects[message->key] = boost::json::parse(message->object->json);
      }
    }
  }
}

}  // namespace longshore::test
