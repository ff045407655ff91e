#include "tests/support/kube_identity.h"

#include <boost/json.hpp>
#include <stdexcept>

#include "tests/support/program_run.h"
#include "tests/support/read_file.h"

namespace longshore::test {
namespace {

namespace json = boost::json;

constexpr const char* kRbac = "rbac.authorization.k8s.io";

json::object object_of(const char* kind, const std::string& name) {
  return {
      {"apiVersion", std::string(kRbac) + "/v1"}, {"kind", kind}, {"metadata", {{"name", name}}}};
}

std::string base64_of(const std::string& file) {
  return run_program({"/usr/bin/base64", "--wrap=0", file}).output;
}

// One or more lines of a user of a kubeconfig.
std::string credentials(const KubeIdentity& identity, KubeconfigForm::Credentials form) {
  using Credentials = KubeconfigForm::Credentials;
  const bool is_token = form == Credentials::kTokenFile || form == Credentials::kToken;
  if (is_token == identity.token_file.empty()) {
    throw std::logic_error("the identity " + identity.user + " has other credentials");
  }
  switch (form) {
    case Credentials::kTokenFile:
      return "    tokenFile: " + identity.token_file + "\n";
    case Credentials::kToken:
      return "    token: " + read_file(identity.token_file) + "\n";
    case Credentials::kCertificateFile:
      return "    client-certificate: " + identity.certificate_file +
             "\n    client-key: " + identity.key_file + "\n";
    case Credentials::kCertificate:
      return "    client-certificate-data: " + base64_of(identity.certificate_file) +
             "\n    client-key-data: " + base64_of(identity.key_file) + "\n";
  }
  throw std::logic_error("no such form of credentials");
}

}  // namespace

std::string cluster_role(const std::string& name, const std::vector<KubeRule>& rules) {
  json::object role = object_of("ClusterRole", name);
  json::array& list = role["rules"].emplace_array();
  for (const KubeRule& rule : rules) {
    list.emplace_back(json::object{{"apiGroups", json::value_from(rule.groups)},
                                   {"resources", json::value_from(rule.resources)},
                                   {"verbs", json::value_from(rule.verbs)}});
  }
  return json::serialize(role);
}

std::string cluster_role_binding(const std::string& name, const std::string& user) {
  json::object binding = object_of("ClusterRoleBinding", name);
  binding["roleRef"] = {{"apiGroup", kRbac}, {"kind", "ClusterRole"}, {"name", name}};
  binding["subjects"] =
      json::array{json::object{{"apiGroup", kRbac}, {"kind", "User"}, {"name", user}}};
  return json::serialize(binding);
}

std::string access_review(const std::string& user, const KubeRule& rule) {
  const std::string& resource = rule.resources.at(0);
  const size_t slash = resource.find('/');
  json::object attributes = {{"group", rule.groups.at(0)},
                             {"resource", resource.substr(0, slash)},
                             {"verb", rule.verbs.at(0)}};
  if (slash != std::string::npos) attributes["subresource"] = resource.substr(slash + 1);
  return json::serialize(json::object{
      {"apiVersion", "authorization.k8s.io/v1"},
      {"kind", "SubjectAccessReview"},
      {"spec", {{"user", user}, {"resourceAttributes", attributes}}},
  });
}

std::string kubeconfig_text(const std::string& address, const std::string& ca_file,
                            const KubeIdentity& identity, KubeconfigForm form) {
  const std::string authority = form.authority == KubeconfigForm::Authority::kFile
                                    ? "certificate-authority: " + ca_file
                                    : "certificate-authority-data: " + base64_of(ca_file);
  return "apiVersion: v1\nkind: Config\ncurrent-context: test\nclusters:\n- name: server\n"
         "  cluster:\n    server: " +
         address + "\n    " + authority +
         "\ncontexts:\n- name: test\n  context:\n    cluster: server\n    user: " + identity.user +
         "\nusers:\n- name: " + identity.user + "\n  user:\n" +
         credentials(identity, form.credentials);
}

}  // namespace longshore::test
