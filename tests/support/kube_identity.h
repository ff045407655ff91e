// Who calls the API server of a test, what that user may do, and how a kubeconfig says it.
#pragma once

#include <string>
#include <vector>

namespace longshore::test {

// A rule of a ClusterRole.
struct KubeRule {
  std::vector<std::string> groups;     // "" is the core group
  std::vector<std::string> resources;  // "persistentvolumes", "volumeattachments/status"
  std::vector<std::string> verbs;      // "get"
};

// How a kubeconfig has the credentials, and the certificate of who signed the server's.
struct KubeconfigForm {
  enum class Credentials {
    kTokenFile,
    kToken,
    kCertificateFile,  // with the key in a file as well
    kCertificate,      // both in base64
  };
  enum class Authority { kFile, kInline };  // kInline: in base64

  Credentials credentials = Credentials::kTokenFile;
  Authority authority = Authority::kFile;
};

// It has a token, or a certificate with its key. Files are named by absolute paths.
struct KubeIdentity {
  std::string user;  // as the server calls it
  std::string token_file = {};
  std::string certificate_file = {};
  std::string key_file = {};
  std::string kubeconfig = {};
};

// A ClusterRole with these rules, and its binding to a user; both are named `name`. JSON.
std::string cluster_role(const std::string& name, const std::vector<KubeRule>& rules);
std::string cluster_role_binding(const std::string& name, const std::string& user);
// The question, for the server, whether a user may do the first that a rule names. JSON.
std::string access_review(const std::string& user, const KubeRule& rule);

// The text of a kubeconfig. Throws std::logic_error when the identity has no such credentials.
std::string kubeconfig_text(const std::string& address, const std::string& ca_file,
                            const KubeIdentity& identity, KubeconfigForm form);

}  // namespace longshore::test
