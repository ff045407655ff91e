// Clients of an agent on the sockets of its csi-proxy groups, each on a connection that is kept.
//
// Threads: one.
#pragma once

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "tests/support/test_client.h"

namespace longshore::test {

class GroupClients {
 public:
  // `run`: the agent's run_dir.
  explicit GroupClients(std::string run) : run_(std::move(run)) {}

  // "smb", "v1": where that version is served.
  std::string socket(const std::string& group, const std::string& version) const {
    const std::string name = group + "-" + version;
    return run_ + "/csi-proxy/" + name + "/csi-proxy-" + name + ".sock";
  }

  // Calls "v1.Disk/Rescan" of the group "disk".
  template <typename Request>
  std::shared_ptr<Answer> call(const std::string& group, const std::string& method,
                               const Request& request, const rpc::ClientCallOptions& options = {}) {
    return client(group, method).call(method, request.SerializeAsString(), options);
  }

  // The answer of a call that must succeed.
  template <typename Response, typename Request>
  Response get(const std::string& group, const std::string& method, const Request& request) {
    const auto answer = call(group, method, request);
    INFO(method << ": " << answer->text());
    REQUIRE(answer->code() == StatusCode::kOk);
    Response response;
    REQUIRE(response.ParseFromString(answer->messages.at(0)));
    return response;
  }

 protected:
  void disconnect() { clients_.clear(); }

 private:
  TestClient& client(const std::string& group, const std::string& method) {
    const std::string version = method.substr(0, method.find('.'));
    auto& client = clients_[group + "-" + version];
    if (client == nullptr || !client->accepts_calls()) {
      client = std::make_unique<TestClient>(socket(group, version));
    }
    return *client;
  }

  const std::string run_;
  std::map<std::string, std::unique_ptr<TestClient>> clients_;
};

}  // namespace longshore::test
