#include "kube/tls_context.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <utility>

#include "kube/certificate_text.h"

namespace longshore::kube {
namespace {

namespace ssl = boost::asio::ssl;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Memory = std::unique_ptr<BIO, decltype(&BIO_free)>;

Error cannot_use(const std::string& what, const std::string& name) {
  return Error(StatusCode::kInvalidArgument, "use " + what + " in " + name);
}

Memory memory_of(const std::string& text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &BIO_free};
}

}  // namespace

TlsContext::Source::Source(PemSource& pem, const std::string& what,
                           const std::string& configuration)
    : text(std::move(pem.text)) {
  if (!pem.file.empty()) file.emplace(pem.file);
  name = file ? '"' + pem.file + '"' : what + "-data of " + configuration;
}

Result<void> TlsContext::Source::read() { return file ? file->read() : Result<void>(); }

TlsContext::TlsContext(Configuration& configuration)
    : configuration_(configuration.source),
      server_name_(configuration.tls_server_name.empty() ? configuration.server.host
                                                         : configuration.tls_server_name),
      skips_verification_(configuration.skips_verification),
      authority_(configuration.certificate_authority, "certificate-authority", configuration_),
      certificate_(configuration.client_certificate, "client-certificate", configuration_),
      key_(configuration.client_key, "client-key", configuration_) {
  if (authority_.empty()) authority_.name = "what this system trusts";
}

Result<std::shared_ptr<ssl::context>> TlsContext::current() {
  for (Source* source : {&authority_, &certificate_, &key_}) {
    if (const auto read = source->read(); !read) return read.error();
  }
  const uint64_t version = authority_.version() + certificate_.version() + key_.version();
  if (context_ && version == version_) return context_;
  Result<std::shared_ptr<ssl::context>> made = make();
  ERR_clear_error();
  if (!made) return context_ ? context_ : std::move(made);
  version_ = version;
  return context_ = *std::move(made);
}

Result<std::shared_ptr<ssl::context>> TlsContext::make() {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  if (const auto trusted = trust(*context); !trusted) return trusted.error();
  if (const auto appeared = appear(*context); !appeared) return appeared.error();
  return context;
}

Result<void> TlsContext::trust(ssl::context& context) const {
  boost::system::error_code error;
  if (skips_verification_) {
    context.set_verify_mode(ssl::verify_none, error);
    return {};
  }
  context.set_verify_mode(ssl::verify_peer, error);
  SSL_CTX* const handle = context.native_handle();
  // As Go has it: an authority below others may be trusted by itself, and a name stands among the
  // alternative ones.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(handle), X509_V_FLAG_PARTIAL_CHAIN);
  X509_VERIFY_PARAM_set_hostflags(
      SSL_CTX_get0_param(handle),
      X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  if (authority_.empty()) {
    context.set_default_verify_paths(error);
    return {};
  }
  const Memory memory = memory_of(authority_.content());
  ERR_clear_error();
  int count = 0;
  while (const Certificate certificate{PEM_read_bio_X509(memory.get(), nullptr, nullptr, nullptr),
                                       &X509_free}) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(handle), certificate.get());
    ++count;
  }
  // What comes at the end of the text, too.
  const bool is_at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  if (count > 0 && is_at_end) return {};
  return cannot_use("the certificates of authorities", authority_.name)
      .because(count == 0 && is_at_end
                   ? "there is no certificate in PEM form in it"
                   : "certificate " + std::to_string(count + 1) + " of it is damaged");
}

Result<void> TlsContext::appear(ssl::context& context) {
  client_certificate_ends_.reset();
  if (certificate_.empty()) return {};
  boost::system::error_code error;
  // None is asked for at a terminal.
  context.set_password_callback([](size_t, ssl::context::password_purpose) { return ""; }, error);
  context.use_certificate_chain(boost::asio::buffer(certificate_.content()), error);
  if (error) {
    return cannot_use("the client certificate", certificate_.name)
        .because("there is no whole certificate in PEM form in it");
  }
  context.use_private_key(boost::asio::buffer(key_.content()), ssl::context::pem, error);
  if (error &&
      ERR_GET_REASON(static_cast<unsigned long>(error.value())) == X509_R_KEY_VALUES_MISMATCH) {
    return cannot_use("the client key", key_.name)
        .because("it is not the key of the certificate in " + certificate_.name);
  }
  if (error) {
    return cannot_use("the client key", key_.name)
        .because("there is no whole key in PEM form in it, or it has a password");
  }
  X509* const own = SSL_CTX_get0_certificate(context.native_handle());
  if (own != nullptr) client_certificate_ends_ = time_of(X509_get0_notAfter(own));
  return {};
}

std::string TlsContext::client_certificate_fault() const {
  const std::time_t now = std::time(nullptr);
  if (!client_certificate_ends_ || *client_certificate_ends_ > now) return {};
  return "the client certificate in " + certificate_.name + " expired at " +
         time_text(*client_certificate_ends_) + ", and the clock of this node says " +
         time_text(now);
}

}  // namespace longshore::kube
