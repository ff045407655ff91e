// The full name of a method, as requests name those of others.
//
// Threads: any; a plain function.
#pragma once

#include <string_view>

namespace longshore::router {

// "csi.v1.Identity/Probe".
inline bool is_method_name(std::string_view text) {
  const size_t slash = text.find('/');
  return slash != text.npos && slash > 0 && slash + 1 < text.size() &&
         text.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
             "0123456789._/") == text.npos &&
         text.find('/', slash + 1) == text.npos;
}

}  // namespace longshore::router
