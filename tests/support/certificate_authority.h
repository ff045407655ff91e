// Who signs the certificates of a test's server and of its clients: keys and certificates as PEM
// files, made by the program openssl, good for a week.
//
// Owner: the test. Threads: one.
#pragma once

#include <string>
#include <vector>

namespace longshore::test {

// The paths of a key, without a password, and of its certificate.
struct KeyPair {
  std::string key_file;
  std::string certificate_file;
};

class CertificateAuthority {
 public:
  // Keeps its files in the folder. Throws std::runtime_error, as do the others.
  explicit CertificateAuthority(const std::string& folder);

  // Of the one that signs.
  const std::string& certificate_file() const { return own_.certificate_file; }

  // A server at an address: "127.0.0.1". Named `name` among the files.
  KeyPair server(const std::string& name, const std::string& address) const;
  // A client: for an API server, a user.
  KeyPair client(const std::string& name) const;

 private:
  KeyPair make(const std::string& file, const std::string& subject,
               const std::vector<std::string>& more) const;
  KeyPair signed_by_us(const std::string& file, const std::string& subject,
                       std::vector<std::string> more) const;

  const std::string folder_;
  KeyPair own_;
};

// A new key without a certificate, of an elliptic curve.
void make_key(const std::string& file);

}  // namespace longshore::test
