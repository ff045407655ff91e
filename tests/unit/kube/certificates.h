// Certificates and keys, made when a test runs, as PEM.
#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace longshore::test {

// Threads: any; values. Throws where OpenSSL fails.
class Certificate {
 public:
  struct Parts {
    std::string name = "kubernetes";
    std::vector<std::string> names = {"DNS:localhost", "IP:127.0.0.1"};  // alternative ones
    std::chrono::seconds begins = -std::chrono::hours(1);                // from now
    std::chrono::seconds ends = std::chrono::hours(1);
  };

  // An authority, which signs itself.
  static Certificate authority(const std::string& name = "test authority");
  Certificate sign(const Parts& parts) const;

  const std::string& pem() const { return pem_; }
  const std::string& key_pem() const { return key_pem_; }

 private:
  using Key = std::shared_ptr<EVP_PKEY>;
  using Holder = std::shared_ptr<X509>;

  static Certificate make(const Parts& parts, const Certificate* issuer);

  Key key_;
  Holder certificate_;
  std::string pem_;
  std::string key_pem_;
};

}  // namespace longshore::test
