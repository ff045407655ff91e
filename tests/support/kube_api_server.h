// A real API server of Kubernetes for tests, with its etcd, on loopback, in a folder of their own;
// with the controller manager where a test asks for it. tests/kube/build_api_server.sh makes the
// programs, which takes minutes the first time; LONGSHORE_KUBE_APISERVER names another
// kube-apiserver.
//
// States: it serves from the constructor on, but for the time between kill_server() and
// start_server(), and while etcd is stopped. It keeps its port and its data all the time.
//
// Threads: one, the one that made it, which must live as long: all programs end with that thread,
// also when the test dies. Owner: the test. Waits up to kPatience for each thing, then throws
// std::runtime_error with the end of the program's log.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/kube_identity.h"
#include "tests/support/temporary_directory.h"

namespace longshore::test {

class KubeProcess;

struct KubeResponse {
  int status = 0;    // HTTP's; 0 when there was no response
  std::string body;  // JSON, or what curl says of the connection
};

struct KubeApiServerOptions {
  bool controller_manager = false;
};

class KubeApiServer {
 public:
  using Options = KubeApiServerOptions;

  // Starts everything and waits until /readyz says ok.
  explicit KubeApiServer(Options options = {});
  ~KubeApiServer();
  KubeApiServer(const KubeApiServer&) = delete;
  KubeApiServer& operator=(const KubeApiServer&) = delete;

  uint16_t port() const { return port_; }
  std::string address() const;  // "https://127.0.0.1:<port>"
  std::string ca_file() const;  // of who signed its certificate

  // In the group system:masters, with a token.
  const KubeIdentity& admin() const { return admin_; }
  // A user that may do what the rules say, by a ClusterRole and a binding named `name`, and is not
  // a ServiceAccount. The server heeds the rules when this returns. With a token the user has a
  // name of the fixture's, since the server reads its tokens only at its start; there are up to 32.
  // With a certificate the user is `name`.
  KubeIdentity identity(const std::string& name, const std::vector<KubeRule>& rules,
                        KubeconfigForm form = {});
  // Another kubeconfig of an identity that there is.
  std::string kubeconfig(const KubeIdentity& identity, KubeconfigForm form) const;

  // One request, with the credentials of an identity; "GET", "/api/v1/persistentvolumes", JSON. A
  // PATCH is a merge patch.
  KubeResponse request(const KubeIdentity& identity, const std::string& method,
                       const std::string& path, const std::string& body = {}) const;
  KubeResponse request(const std::string& method, const std::string& path,
                       const std::string& body = {}) const {
    return request(admin_, method, path, body);
  }

  // SIGKILL, and nothing listens at the port. Then again, with the same data, port and identities;
  // it is ready when this returns.
  void kill_server();
  void start_server();
  void restart_server() {
    kill_server();
    start_server();
  }

  // SIGSTOP: the server goes on, but for what needs its data. Then SIGCONT, until it is ready.
  void stop_etcd() const;
  void continue_etcd() const;

  // What the server has logged.
  std::string log() const;

 private:
  void await_ready() const;

  const TemporaryDirectory directory_;
  const std::string programs_;  // the folder with them
  int reserved_ = -1;           // a socket that keeps the port ours
  uint16_t port_ = 0;
  size_t tokens_given_ = 0;
  KubeIdentity admin_;
  std::unique_ptr<KubeProcess> etcd_;
  std::unique_ptr<KubeProcess> server_;  // none while it is killed
  std::unique_ptr<KubeProcess> controller_manager_;
};

}  // namespace longshore::test
