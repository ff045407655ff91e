// A real API server of Kubernetes for tests, with its etcd, on loopback, in a folder of their own;
// with the controller manager where a test asks for it. tests/kube/build_api_server.sh makes the
// programs, which takes minutes the first time; LONGSHORE_KUBE_APISERVER names another
// kube-apiserver. A test program that links test_kube_api_server_needed is skipped where they
// cannot be had.
//
// States: it serves from the constructor on, but for the time between kill_server() and
// start_server(), and while etcd is stopped. It keeps its port, its data and its identities.
//
// Owner: the test. Threads: the one that made it, which must live as long: the programs end with
// that thread, also when the test dies. Each thing is waited for up to kPatience; then, and when a
// program ends too early, std::runtime_error is thrown with the end of its log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/certificate_authority.h"
#include "tests/support/daemon_process.h"
#include "tests/support/kube_audit_log.h"
#include "tests/support/kube_identity.h"
#include "tests/support/temporary_directory.h"

namespace longshore::test {

struct KubeResponse {
  int status = 0;    // HTTP's; 0 when there was no response
  std::string body;  // JSON mostly; without a response, what curl says of the connection
};

struct KubeApiServerOptions {
  bool controller_manager = false;
  bool audit_log = false;  // see KubeApiServer::audited()
  // etcd forgets what is older than some seconds, and not five minutes.
  bool forgets_soon = false;
};

class KubeApiServer {
 public:
  using Options = KubeApiServerOptions;

  // Starts everything and waits until /readyz says ok, and until the controller manager works.
  explicit KubeApiServer(Options options = {});
  ~KubeApiServer();
  KubeApiServer(const KubeApiServer&) = delete;
  KubeApiServer& operator=(const KubeApiServer&) = delete;

  uint16_t port() const { return port_; }
  std::string address() const { return "https://127.0.0.1:" + std::to_string(port_); }
  // Of who signed the server's certificate.
  const std::string& ca_file() const { return authority_.certificate_file(); }

  // May do everything; with a token.
  const KubeIdentity& admin() const { return admin_; }
  // A user, and no ServiceAccount, that may do what the rules say and nothing else. They become a
  // ClusterRole and its binding, both named `name`, which the server heeds when this returns. A
  // user with a certificate is called `name`. One with a token has a name of the fixture's, since
  // the server reads tokens at its start only: there are kTokens of them.
  KubeIdentity identity(const std::string& name, const std::vector<KubeRule>& rules,
                        KubeconfigForm form = {});
  static constexpr size_t kTokens = 32;
  // The same with a ClusterRole as somebody ships it, in YAML, called `name`. One of its rules
  // starts with `some`.
  KubeIdentity identity(const std::string& name, const std::string& role, const KubeRule& some);
  // The path of another kubeconfig of an identity, of the same kind of credentials.
  std::string kubeconfig(const KubeIdentity& identity, KubeconfigForm form);

  // One request with the credentials of an identity: "GET", "/api/v1/persistentvolumes". The body
  // is JSON, or YAML where it does not begin as an object; a PATCH is a merge patch.
  KubeResponse request(const KubeIdentity& identity, const std::string& method,
                       const std::string& path, const std::string& body = {}) const;

  // SIGKILL; nothing listens at the port until start_server(), which returns when it is ready.
  void kill_server() { server_.reset(); }
  void start_server();

  // Without etcd the server goes on, but for what needs the data. continue_etcd() returns when it
  // is ready again.
  void stop_etcd() const { etcd_->freeze(); }
  void continue_etcd() const;

  // What the server has logged.
  std::string log() const;
  // What it has answered a user since its first start. It needs an audit log.
  std::vector<KubeRequestMade> audited(const std::string& user) const;

 private:
  void start_etcd();
  void start_controller_manager();
  void await(const DaemonProcess& process, const std::string& log, const std::string& path,
             const std::string& what) const;
  void write_tokens() const;

  KubeIdentity user(const std::string& name, KubeconfigForm form);
  void allow(const KubeIdentity& user, const std::string& name, const std::string& role,
             const KubeRule* some);

  const TemporaryDirectory directory_;
  const bool has_audit_log_;
  const bool forgets_soon_;
  const std::string programs_;  // the folder that has them
  const CertificateAuthority authority_;
  const int reserved_port_;  // a socket
  const uint16_t port_;
  size_t given_tokens_ = 0;
  size_t kubeconfigs_ = 0;  // how many have been written
  KubeIdentity admin_;
  std::string etcd_address_;
  std::unique_ptr<DaemonProcess> etcd_;
  std::unique_ptr<DaemonProcess> server_;  // none while it is killed
  std::unique_ptr<DaemonProcess> controller_manager_;
};

// One for the cases of a program that can share it, since a start takes seconds; each has objects
// and identities of its own. It ends with the program.
KubeApiServer& shared_kube_api_server();

}  // namespace longshore::test
