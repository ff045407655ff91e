// What certificates say, for sentences. Threads: any.
#pragma once

#include <openssl/x509.h>

#include <ctime>
#include <optional>
#include <string>

namespace longshore::kube {

std::optional<std::time_t> time_of(const ASN1_TIME* time);

// "2026-11-27T10:00:00Z".
std::string time_text(std::time_t time);

// "api.example, 10.0.0.1": the names and addresses that it is for, the first of them.
std::string names_of(X509* certificate);

// "CN = kubernetes".
std::string issuer_of(X509* certificate);

}  // namespace longshore::kube
