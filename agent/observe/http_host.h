// The Host header of a request to a loopback address.
#pragma once

#include <string_view>

namespace longshore::observe {

// Whether `host`, "localhost:9809" or "[::1]", names this machine itself. Anything else got here by
// a foreign name that was made to resolve to a loopback address.
bool is_loopback_host(std::string_view host);

}  // namespace longshore::observe
