#include "tests/kube/kube_objects.h"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
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
  CHECK(reaches(calls.size(), [&] { return done; }));
  CHECK(failures == std::vector<std::string>());
  if (done == calls.size()) return;
  for (const auto& call : calls) call->cancel();  // they write to what is here
  while (done < calls.size()) hear(std::chrono::milliseconds(5));
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
