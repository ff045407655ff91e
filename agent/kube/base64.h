// Base64 with padding, as kubeconfigs and Secrets hold bytes. Threads: any.
#pragma once

#include <optional>
#include <string_view>

#include "longshore/secret.hpp"

namespace longshore::kube {

// Line ends and blanks in between are left out. Nothing: it is not base64.
std::optional<Secret> base64_decoded(std::string_view text);

Secret base64_encoded(std::string_view bytes);

}  // namespace longshore::kube
