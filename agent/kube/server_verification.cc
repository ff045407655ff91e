#include "kube/server_verification.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/error.hpp>
#include <system_error>
#include <utility>

#include "kube/certificate_text.h"

namespace longshore::kube {
namespace {

bool is_ip_address(const std::string& name) {
  boost::system::error_code error;
  boost::asio::ip::make_address(name, error);
  return !error;
}

int reason_of(const boost::system::error_code& code) {
  if (code.category() != boost::asio::error::get_ssl_category()) return 0;
  return ERR_GET_REASON(static_cast<unsigned long>(code.value()));
}

bool refuses_client(int reason) {
  switch (reason) {
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_TLSV1_ALERT_ACCESS_DENIED:
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
      return true;
    default:
      return false;
  }
}

}  // namespace

Result<void> ServerVerification::prepare(SSL* connection) const {
  const std::string& name = tls_.server_name();
  X509_VERIFY_PARAM* const parameters = SSL_get0_param(connection);
  const bool is_address = is_ip_address(name);
  const bool is_set =
      is_address ? X509_VERIFY_PARAM_set1_ip_asc(parameters, name.c_str()) == 1
                 // Servers are not told addresses.
                 : X509_VERIFY_PARAM_set1_host(parameters, name.data(), name.size()) == 1 &&
                       SSL_set_tlsext_host_name(connection, name.c_str()) == 1;
  ERR_clear_error();
  if (is_set) return {};
  return Error(StatusCode::kInvalidArgument, "use the server's name", name)
      .because("it is no name that a certificate can have");
}

bool ServerVerification::verify(bool is_good, boost::asio::ssl::verify_context& context) {
  if (is_good) return true;
  X509_STORE_CTX* const store = context.native_handle();
  X509* const certificate = X509_STORE_CTX_get_current_cert(store);
  const int fault = X509_STORE_CTX_get_error(store);
  const std::string now = time_text(std::time(nullptr));
  const auto time = [&](const ASN1_TIME* at) {
    return time_text(time_of(at).value_or(std::time_t{}));
  };
  switch (fault) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      cause_ = "a certificate of it, for " + names_of(certificate) + ", expired at " +
               time(X509_get0_notAfter(certificate)) + ", and the clock of this node says " + now;
      advice_ = "renew the server's certificate, or set the clock";
      break;
    case X509_V_ERR_CERT_NOT_YET_VALID:
      cause_ = "a certificate of it, for " + names_of(certificate) + ", is valid from " +
               time(X509_get0_notBefore(certificate)) + " on, and the clock of this node says " +
               now;
      advice_ = "set the clock";
      break;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      cause_ = "its certificate is for " + names_of(certificate) + ", and not for \"" +
               tls_.server_name() + '"';
      advice_ = "name the server so, or give that name as tls-server-name";
      break;
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      cause_ = "its certificate is signed by \"" + issuer_of(certificate) +
               "\", which is not among the authorities in " + tls_.authority();
      advice_ =
          "give the authority of this cluster as certificate-authority; or another server "
          "answers there";
      break;
    default:
      cause_ = std::string("its certificate is not good: ") + X509_verify_cert_error_string(fault);
      break;
  }
  return false;
}

Error ServerVerification::explain(Error error, const boost::system::error_code& code) const {
  if (!cause_.empty()) return std::move(error).because(cause_).advise(advice_);
  const int reason = reason_of(code);
  if (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST) {
    return std::move(error)
        .because("what answers there does not speak TLS, as a server of plain http does not")
        .advise("write the server with http:// if it is one, or its port of https");
  }
  if (reason == SSL_R_TLSV1_ALERT_PROTOCOL_VERSION || reason == SSL_R_UNSUPPORTED_PROTOCOL) {
    return std::move(error).because("it speaks no TLS 1.2 or newer");
  }
  if (refuses_client(reason)) {
    const std::string fault = tls_.client_certificate_fault();
    return std::move(error)
        .because("it refuses the client certificate: " + code.message())
        .advise(fault.empty() ? "use one that an authority of this cluster has signed" : fault);
  }
  if (code == boost::asio::ssl::error::stream_truncated || code == boost::asio::error::eof) {
    return std::move(error).because("the server closed the connection during the handshake");
  }
  if (code.category() == boost::asio::error::get_ssl_category()) {
    return std::move(error).because(code.message());
  }
  return std::move(error).because(std::error_code(code));
}

}  // namespace longshore::kube
