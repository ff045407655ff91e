#include "kube/request.h"

#include <charconv>
#include <cstdint>
#include <ctime>
#include <iomanip>
#include <locale>
#include <sstream>

namespace longshore::kube {
namespace {

// All but these is encoded: RFC 3986's unreserved characters.
bool stays(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

void append_encoded(std::string& target, std::string_view text) {
  constexpr char kHexadecimal[] = "0123456789ABCDEF";
  for (const char c : text) {
    if (stays(c)) {
      target += c;
      continue;
    }
    const auto byte = static_cast<uint8_t>(c);
    target += '%';
    target += kHexadecimal[byte >> 4];
    target += kHexadecimal[byte & 15];
  }
}

}  // namespace

std::string_view method_name(Method method) {
  switch (method) {
    case Method::kGet:
      return "GET";
    case Method::kPost:
      return "POST";
    case Method::kPut:
      return "PUT";
    case Method::kPatch:
      return "PATCH";
    case Method::kDelete:
      return "DELETE";
  }
  return "GET";
}

std::string target_of(const Request& request) {
  std::string target = request.path;
  if (!request.encoded_query.empty()) return target + '?' + request.encoded_query;
  char before = '?';
  for (const auto& [name, value] : request.query) {
    target += std::exchange(before, '&');
    append_encoded(target, name);
    target += '=';
    append_encoded(target, value);
  }
  return target;
}

std::optional<std::chrono::seconds> parse_retry_after(std::string_view text) {
  uint32_t seconds = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seconds);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return std::chrono::seconds(seconds);
}

std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text) {
  constexpr std::string_view kZone = " GMT";
  if (!text.ends_with(kZone)) return std::nullopt;  // get_time is content with half of a pattern
  text.remove_suffix(kZone.size());
  std::istringstream stream{std::string(text)};
  stream.imbue(std::locale::classic());
  std::tm parts{};
  stream >> std::get_time(&parts, "%a, %d %b %Y %H:%M:%S");
  if (stream.fail() || stream.peek() != std::istringstream::traits_type::eof()) {
    return std::nullopt;
  }
  constexpr int kFirstYear = 1900;  // of std::tm
  const std::chrono::year_month_day day(std::chrono::year(kFirstYear + parts.tm_year),
                                        std::chrono::month(static_cast<unsigned>(parts.tm_mon) + 1),
                                        std::chrono::day(static_cast<unsigned>(parts.tm_mday)));
  if (!day.ok()) return std::nullopt;
  return std::chrono::sys_days(day) + std::chrono::hours(parts.tm_hour) +
         std::chrono::minutes(parts.tm_min) + std::chrono::seconds(parts.tm_sec);
}

}  // namespace longshore::kube
