#include "text/file_path.h"

#include <string>

#include "text/escape.h"

namespace longshore::text {

std::filesystem::path file_path(std::string_view text) {
#if defined(_WIN32)
  // Of what is no UTF-8 it would throw.
  const std::string valid = valid_utf8(text);
  return {std::u8string(valid.begin(), valid.end())};
#else
  return {text};
#endif
}

}  // namespace longshore::text
