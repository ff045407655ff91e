#include "kube/certificate_text.h"

#include <openssl/bio.h>
#include <openssl/x509v3.h>

#include <array>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/error.hpp>
#include <cstring>
#include <memory>

namespace longshore::kube {
namespace {

constexpr int kMostNames = 10;

std::string name_of(const GENERAL_NAME& name) {
  if (name.type == GEN_DNS) {
    return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(name.d.dNSName)),
            static_cast<size_t>(ASN1_STRING_length(name.d.dNSName))};
  }
  if (name.type != GEN_IPADD) return {};
  const unsigned char* const bytes = ASN1_STRING_get0_data(name.d.iPAddress);
  const auto size = static_cast<size_t>(ASN1_STRING_length(name.d.iPAddress));
  boost::asio::ip::address_v4::bytes_type v4;
  boost::asio::ip::address_v6::bytes_type v6;
  if (size == v4.size()) {
    std::memcpy(v4.data(), bytes, size);
    return boost::asio::ip::address_v4(v4).to_string();
  }
  if (size != v6.size()) return {};
  std::memcpy(v6.data(), bytes, size);
  return boost::asio::ip::address_v6(v6).to_string();
}

}  // namespace

std::optional<std::time_t> time_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (time == nullptr || ASN1_TIME_to_tm(time, &parts) != 1) return std::nullopt;
  return ::timegm(&parts);
}

std::string time_text(std::time_t time) {
  std::tm parts{};
  if (::gmtime_r(&time, &parts) == nullptr) return "an unknown time";
  std::array<char, 32> text;
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::string names_of(X509* certificate) {
  const std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> names(
      static_cast<GENERAL_NAMES*>(
          X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
      &GENERAL_NAMES_free);
  std::string text;
  const int count = names ? sk_GENERAL_NAME_num(names.get()) : 0;
  for (int i = 0, told = 0; i < count; ++i) {
    const std::string name = name_of(*sk_GENERAL_NAME_value(names.get(), i));
    if (name.empty()) continue;
    if (++told > kMostNames) return text + ", ...";
    text += (text.empty() ? "" : ", ") + name;
  }
  return text.empty() ? "no name" : text;
}

std::string issuer_of(X509* certificate) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), &BIO_free);
  if (!memory) return {};
  // No control characters, and one line.
  X509_NAME_print_ex(memory.get(), X509_get_issuer_name(certificate), 0, XN_FLAG_ONELINE);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &bytes);
  return {bytes, size > 0 ? static_cast<size_t>(size) : 0};
}

}  // namespace longshore::kube
