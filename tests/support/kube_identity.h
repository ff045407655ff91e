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

struct KubeIdentity {
  std::string user;        // as the server calls it
  std::string kubeconfig;  // the paths of files, absolute; none is "" unless the identity lacks it
  std::string token_file;
  std::string certificate_file;
  std::string key_file;
};

}  // namespace longshore::test
