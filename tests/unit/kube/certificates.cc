#include "tests/unit/kube/certificates.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <functional>
#include <stdexcept>

namespace longshore::test {
namespace {

void require(bool holds) {
  if (!holds) throw std::runtime_error("OpenSSL cannot make a certificate");
}

std::string pem_of(const std::function<int(BIO*)>& write) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), &BIO_free);
  require(memory && write(memory.get()) == 1);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &bytes);
  return {bytes, static_cast<size_t>(size)};
}

void add_extension(X509* certificate, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  require(extension != nullptr && X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

}  // namespace

Certificate Certificate::authority(const std::string& name) {
  Parts parts;
  parts.name = name;
  parts.names = {};
  parts.begins = -std::chrono::hours(48);
  parts.ends = std::chrono::hours(48);
  return make(parts, nullptr);
}

Certificate Certificate::sign(const Parts& parts) const { return make(parts, this); }

Certificate Certificate::make(const Parts& parts, const Certificate* issuer) {
  static long serial = 0;
  Certificate made;
  made.key_ = Key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  made.certificate_ = Holder(X509_new(), &X509_free);
  X509* const certificate = made.certificate_.get();
  require(made.key_ && certificate != nullptr);
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate), parts.begins.count());
  X509_gmtime_adj(X509_getm_notAfter(certificate), parts.ends.count());
  X509_set_pubkey(certificate, made.key_.get());
  require(X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                                     reinterpret_cast<const unsigned char*>(parts.name.c_str()), -1,
                                     -1, 0) == 1);
  const Certificate& signer = issuer == nullptr ? made : *issuer;
  X509_set_issuer_name(certificate, X509_get_subject_name(signer.certificate_.get()));
  add_extension(certificate, NID_basic_constraints,
                issuer == nullptr ? "critical,CA:TRUE" : "critical,CA:FALSE");
  std::string names;
  for (const std::string& name : parts.names) names += (names.empty() ? "" : ",") + name;
  if (!names.empty()) add_extension(certificate, NID_subject_alt_name, names);
  require(X509_sign(certificate, signer.key_.get(), EVP_sha256()) > 0);
  made.pem_ = pem_of([&](BIO* memory) { return PEM_write_bio_X509(memory, certificate); });
  made.key_pem_ = pem_of([&](BIO* memory) {
    return PEM_write_bio_PrivateKey(memory, made.key_.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
  return made;
}

}  // namespace longshore::test
