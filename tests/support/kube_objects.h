// Many objects of an API server at once: made, changed and deleted side by side, and followed as
// they change, by the agent's own client.
//
// Owner and threads: the test, which does all of it in its calls.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kube/client.h"
#include "kube/informers.h"
#include "kube/subscription.h"
#include "tests/support/kube_identity.h"

namespace longshore::test {

class KubeObjects {
 public:
  using ByName = std::map<std::string, boost::json::value>;

  explicit KubeObjects(const KubeIdentity& identity);

  // Throw std::runtime_error unless each is done.
  void make(const std::string& path, const std::vector<std::string>& objects);
  void remove(const std::string& path, const std::vector<std::string>& names);
  // The same change to each.
  void patch(const std::vector<std::string>& paths, const std::string& merge_patch);

  // Those of a resource without namespaces, as far as it has been told of them.
  const ByName& follow(const std::string& path);

  // Hears of changes until it counts so many. It may take long, but something has to happen: more
  // than before within kPatience.
  bool reaches(size_t wanted, const std::function<size_t()>& count);

 private:
  struct Followed {
    std::shared_ptr<kube::ObjectCache> cache;
    std::unique_ptr<kube::Subscription> subscription;
    ByName objects;
  };

  void ask(std::vector<kube::Request> requests);
  void hear(std::chrono::milliseconds time);

  boost::asio::io_context io_{1};
  kube::Client client_;
  kube::IoTiming timing_{io_};
  kube::Informers informers_{client_, timing_};
  std::map<std::string, Followed> followed_;  // by path
};

}  // namespace longshore::test
