// What TLS connections to an API server have in common: whom they trust, and as whom they appear.
//
// Files of certificates and keys are read again for each connection: a cluster's authority and a
// client's certificate are replaced while the agent runs. While the new ones are no whole set, as
// between the certificate and its key, those before stay.
//
// Threads: one. Owner: the client.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <ctime>
#include <memory>
#include <optional>
#include <string>

#include "kube/changing_file.h"
#include "kube/configuration.h"
#include "longshore/result.hpp"
#include "longshore/secret.hpp"

namespace longshore::kube {

class TlsContext {
 public:
  // Takes certificates and keys out of it.
  explicit TlsContext(Configuration& configuration);

  // For the next connection.
  Result<std::shared_ptr<boost::asio::ssl::context>> current();

  // The name that the server's certificate has to have: a name, or an IP address.
  const std::string& server_name() const { return server_name_; }
  // `"/etc/kubernetes/pki/ca.crt"`, for sentences.
  const std::string& authority() const { return authority_.name; }
  const std::string& configuration() const { return configuration_; }
  // Empty: there is none, or it is valid by this node's clock.
  std::string client_certificate_fault() const;

 private:
  struct Source {
    Source(PemSource& pem, const std::string& what, const std::string& configuration);
    Result<void> read();
    bool empty() const { return !file && text.empty(); }
    const std::string& content() const { return file ? file->text() : text.text(); }
    uint64_t version() const { return file ? file->version() : 0; }

    std::optional<ChangingFile> file;
    Secret text;
    std::string name;
  };

  Result<std::shared_ptr<boost::asio::ssl::context>> make();
  Result<void> trust(boost::asio::ssl::context& context) const;
  Result<void> appear(boost::asio::ssl::context& context);

  const std::string configuration_;  // where it comes from
  const std::string server_name_;
  const bool skips_verification_;
  Source authority_;
  Source certificate_;
  Source key_;
  std::optional<std::time_t> client_certificate_ends_;
  std::shared_ptr<boost::asio::ssl::context> context_;
  uint64_t version_ = 0;  // of the three that context_ is made of
};

}  // namespace longshore::kube
