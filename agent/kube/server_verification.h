// Whether who answers is the API server that is meant, and in words what is the matter if not.
//
// Threads: one. Owner: the connection, which asks it during the handshake.
#pragma once

#include <openssl/ssl.h>

#include <boost/asio/ssl/verify_context.hpp>
#include <boost/system/error_code.hpp>
#include <string>

#include "kube/tls_context.h"
#include "longshore/result.hpp"

namespace longshore::kube {

class ServerVerification {
 public:
  explicit ServerVerification(const TlsContext& tls) : tls_(tls) {}

  // Tells OpenSSL, and the server, which name is meant.
  Result<void> prepare(SSL* connection) const;

  // OpenSSL's callback, for each certificate of the chain.
  bool verify(bool is_good, boost::asio::ssl::verify_context& context);

  // Adds to `error` why the handshake, or what came right behind it, failed of `code`.
  Error explain(Error error, const boost::system::error_code& code) const;

 private:
  const TlsContext& tls_;
  std::string cause_;  // of the certificate that was not good
  std::string advice_;
};

}  // namespace longshore::kube
