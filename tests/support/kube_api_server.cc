#include "tests/support/kube_api_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <regex>
#include <system_error>

#include "tests/support/eventually.h"
#include "tests/support/kube_programs.h"
#include "tests/support/program_run.h"
#include "tests/support/read_file.h"

namespace longshore::test {
namespace {

// Bound and not listened at: until it is closed nobody gets the port but who shares it, as the
// server does, which may so be away for a while.
int reserve_port() {
  const int reserved = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (reserved < 0 || ::setsockopt(reserved, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof(yes)) != 0 ||
      ::bind(reserved, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    throw std::system_error(errno, std::generic_category(), "a port");
  }
  return reserved;
}

uint16_t port_of(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

std::string end_of(const std::string& log) {
  const std::string text = read_file(log);
  return text.substr(text.size() - std::min<size_t>(text.size(), 4000));
}

// A line for each request, when it is answered.
constexpr const char* kAuditPolicy =
    "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\n"
    "rules: [{level: Metadata}]\n";

std::string token_user(size_t number) { return "token-user-" + std::to_string(number); }

}  // namespace

KubeApiServer::KubeApiServer(Options options)
    : has_audit_log_(options.audit_log),
      forgets_soon_(options.forgets_soon),
      programs_(kube_programs()),
      authority_(directory_.path()),
      reserved_port_(reserve_port()),
      port_(port_of(reserved_port_)) {
  authority_.server("server", "127.0.0.1");
  make_key(directory_ / "service-account.key");
  write_tokens();
  admin_ = {.user = "admin", .token_file = directory_ / "admin.token"};
  admin_.kubeconfig = kubeconfig(admin_, {});
  start_etcd();
  start_server();
  if (options.controller_manager) start_controller_manager();
}

KubeApiServer::~KubeApiServer() {
  controller_manager_.reset();
  server_.reset();
  etcd_.reset();
  ::close(reserved_port_);
}

// The name of the folder makes tokens that no other server of a test takes.
void KubeApiServer::write_tokens() const {
  const std::string unique = directory_.path().filename();
  write_file(directory_ / "admin.token", "admin-" + unique);
  std::string lines = "admin-" + unique + ",admin,admin,\"system:masters\"\n";
  for (size_t number = 0; number < kTokens; ++number) {
    const std::string user = token_user(number);
    lines += user + "-" + unique + "," + user + "," + user + "\n";
    write_file(directory_ / (user + ".token"), user + "-" + unique);
  }
  write_file(directory_ / "tokens.csv", lines);
}

// It takes ports that are free, and tells which one it has for clients. As a peer it is alone.
void KubeApiServer::start_etcd() {
  const std::string any_port = "http://127.0.0.1:0", log = directory_ / "etcd.log";
  etcd_ = std::make_unique<DaemonProcess>(
      std::vector<std::string>{
          programs_ + "/etcd", "--data-dir=" + directory_ / "etcd",
          "--listen-client-urls=" + any_port, "--advertise-client-urls=" + any_port,
          "--listen-peer-urls=" + any_port, "--initial-advertise-peer-urls=" + any_port,
          "--initial-cluster=default=" + any_port},
      log);
  const std::regex line("serving insecure client requests on (127[.]0[.]0[.]1:[0-9]+)");
  std::smatch told;
  std::string text;
  const auto serves = [&] {
    text = read_file(log);
    return std::regex_search(text, told, line);
  };
  if (!eventually([&] { return serves() || etcd_->ends_within(std::chrono::milliseconds(10)); }) ||
      !serves()) {
    throw std::runtime_error("etcd does not serve: " + end_of(log));
  }
  etcd_address_ = "http://" + told[1].str();
}

void KubeApiServer::start_server() {
  const char* const other = std::getenv("LONGSHORE_KUBE_APISERVER");
  std::vector<std::string> command = {
      other ? other : programs_ + "/kube-apiserver",
      "--etcd-servers=" + etcd_address_,
      "--bind-address=127.0.0.1",
      "--advertise-address=127.0.0.1",
      "--secure-port=" + std::to_string(port_),
      "--permit-port-sharing",
      "--tls-cert-file=" + directory_ / "server.crt",
      "--tls-private-key-file=" + directory_ / "server.key",
      "--client-ca-file=" + ca_file(),
      "--token-auth-file=" + directory_ / "tokens.csv",
      "--authorization-mode=RBAC",
      "--service-cluster-ip-range=10.96.0.0/16",
      "--service-account-issuer=https://issuer.example",
      "--service-account-key-file=" + directory_ / "service-account.key",
      "--service-account-signing-key-file=" + directory_ / "service-account.key",
      // Pods need no ServiceAccount; a controller manager need not be there.
      "--disable-admission-plugins=ServiceAccount",
      // No address of a node is told to anybody.
      "--endpoint-reconciler-type=none",
  };
  if (has_audit_log_) {
    write_file(directory_ / "audit-policy.yaml", kAuditPolicy);
    command.push_back("--audit-policy-file=" + directory_ / "audit-policy.yaml");
    command.push_back("--audit-log-path=" + directory_ / "audit.log");
  }
  if (forgets_soon_) command.push_back("--etcd-compaction-interval=1s");
  server_ = std::make_unique<DaemonProcess>(std::move(command), directory_ / "server.log");
  await(*server_, directory_ / "server.log", "/readyz", "kube-apiserver is not ready");
  // It makes this one once it is ready.
  await(*server_, directory_ / "server.log", "/api/v1/namespaces/default",
        "kube-apiserver has not made the namespace default");
}

void KubeApiServer::start_controller_manager() {
  controller_manager_ = std::make_unique<DaemonProcess>(
      std::vector<std::string>{
          programs_ + "/kube-controller-manager",
          "--kubeconfig=" + admin_.kubeconfig,
          "--leader-elect=false",
          "--port=0",
          "--secure-port=0",
          "--service-account-private-key-file=" + directory_ / "service-account.key",
      },
      directory_ / "controller-manager.log");
  // What one of its controllers makes.
  await(*controller_manager_, directory_ / "controller-manager.log",
        "/api/v1/namespaces/default/serviceaccounts/default",
        "kube-controller-manager does not work");
}

void KubeApiServer::continue_etcd() const {
  etcd_->resume();
  if (!server_) return;
  await(*server_, directory_ / "server.log", "/readyz", "kube-apiserver is not ready again");
}

// Until the path is there, for the administrator.
void KubeApiServer::await(const DaemonProcess& process, const std::string& log,
                          const std::string& path, const std::string& what) const {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  KubeResponse last;
  for (;;) {
    // Also the pause before the next try, which costs as much as 40 ms of the server's start.
    const bool is_over = process.ends_within(std::chrono::milliseconds(300));
    last = request(admin_, "GET", path);
    if (last.status == 200) return;
    if (is_over || std::chrono::steady_clock::now() > end) break;
  }
  throw std::runtime_error(what + ": " + last.body + "\n" + end_of(log) + "\n" +
                           end_of(directory_ / "etcd.log"));
}

KubeIdentity KubeApiServer::identity(const std::string& name, const std::vector<KubeRule>& rules,
                                     KubeconfigForm form) {
  KubeIdentity made = user(name, form);
  allow(made, name, cluster_role(name, rules), rules.empty() ? nullptr : &rules[0]);
  return made;
}

KubeIdentity KubeApiServer::identity(const std::string& name, const std::string& role,
                                     const KubeRule& some) {
  KubeIdentity made = user(name, {});
  allow(made, name, role, &some);
  return made;
}

KubeIdentity KubeApiServer::user(const std::string& name, KubeconfigForm form) {
  using Credentials = KubeconfigForm::Credentials;
  KubeIdentity made;
  if (form.credentials == Credentials::kTokenFile || form.credentials == Credentials::kToken) {
    if (given_tokens_ == kTokens) throw std::logic_error("all tokens are given");
    made.user = token_user(given_tokens_++);
    made.token_file = directory_ / (made.user + ".token");
  } else {
    const KeyPair pair = authority_.client(name);
    made = {.user = name, .certificate_file = pair.certificate_file, .key_file = pair.key_file};
  }
  made.kubeconfig = kubeconfig(made, form);
  return made;
}

// Until the server heeds it; `some` is a rule of the role, if it has any.
void KubeApiServer::allow(const KubeIdentity& user, const std::string& name,
                          const std::string& role, const KubeRule* some) {
  const std::string rbac = "/apis/rbac.authorization.k8s.io/v1/";
  const auto post = [&](const std::string& path, const std::string& body) {
    const KubeResponse response = request(admin_, "POST", path, body);
    if (response.status != 201) throw std::runtime_error(path + ": " + response.body);
    return response;
  };
  post(rbac + "clusterroles", role);
  post(rbac + "clusterrolebindings", cluster_role_binding(name, user.user));
  const bool is_heeded = some == nullptr || eventually([&] {
                           return post("/apis/authorization.k8s.io/v1/subjectaccessreviews",
                                       access_review(user.user, *some))
                                      .body.find("\"allowed\":true") != std::string::npos;
                         });
  if (!is_heeded) throw std::runtime_error("the server does not heed the role " + name);
}

std::string KubeApiServer::kubeconfig(const KubeIdentity& identity, KubeconfigForm form) {
  const std::string file = directory_ / ("kubeconfig-" + std::to_string(++kubeconfigs_));
  write_file(file, kubeconfig_text(address(), ca_file(), identity, form));
  return file;
}

KubeResponse KubeApiServer::request(const KubeIdentity& identity, const std::string& method,
                                    const std::string& path, const std::string& body) const {
  // By its own name curl would get JSON for eyes, with spaces.
  std::vector<std::string> command = {
      "/usr/bin/curl", "--disable", "--silent",    "--show-error",
      "--user-agent",  "test",      "--noproxy",   "*",
      "--max-time",    "60",        "--cacert",    ca_file(),
      "--request",     method,      "--write-out", "\n%{http_code}"};
  if (!body.empty()) {
    const std::string type = method == "PATCH"       ? "merge-patch+json"
                             : body.starts_with('{') ? "json"
                                                     : "yaml";
    command.insert(command.end(),
                   {"--header", "Content-Type: application/" + type, "--data-binary", "@-"});
  }
  if (identity.token_file.empty()) {
    command.insert(command.end(),
                   {"--cert", identity.certificate_file, "--key", identity.key_file});
  } else {
    command.insert(command.end(),
                   {"--header", "Authorization: Bearer " + read_file(identity.token_file)});
  }
  command.push_back(address() + path);
  const ProgramRun run = run_program(command, body);
  if (run.exit_code != 0) return {0, run.errors};
  const size_t line = run.output.rfind('\n');
  return {std::stoi(run.output.substr(line + 1)), run.output.substr(0, line)};
}

std::vector<KubeRequestMade> KubeApiServer::audited(const std::string& user) const {
  return audited_requests(read_file(directory_ / "audit.log"), user);
}

std::string KubeApiServer::log() const { return read_file(directory_ / "server.log"); }

KubeApiServer& shared_kube_api_server() {
  static KubeApiServer server;
  return server;
}

}  // namespace longshore::test
