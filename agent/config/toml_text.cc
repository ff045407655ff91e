#include "config/toml_text.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "text/escape.h"

namespace longshore::config {
namespace {

struct Unit {
  std::string_view name;
  int64_t nanoseconds;
};
// Longest first: what is written takes the first that divides.
constexpr Unit kUnits[] = {
    {"h", 3'600'000'000'000}, {"m", 60'000'000'000}, {"s", 1'000'000'000}, {"ms", 1'000'000}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes the digits at the front of `text`.
std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto digits = text.substr(0, static_cast<size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

}  // namespace

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  text::append_escaped(result, text, true);
  return result + '"';
}

std::string in_quotes(const std::vector<std::string>& texts) {
  std::string result = "[";
  for (const std::string& text : texts) {
    if (result.size() > 1) result += ", ";
    result += in_quotes(text);
  }
  return result + ']';
}

std::string key_text(std::string_view key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
  });
  return bare ? std::string(key) : in_quotes(key);
}

std::string joined(std::string_view path, std::string_view key) {
  if (path.empty()) return key_text(key);
  return std::string(path) + '.' + key_text(key);
}

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  constexpr size_t kMostDigits = 18;  // any such number fits int64_t
  const std::string_view whole = take_digits(text);
  std::string_view fraction;
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    fraction = take_digits(text);
    if (fraction.empty()) return std::nullopt;
  }
  const auto* unit = std::find_if(std::begin(kUnits), std::end(kUnits),
                                  [&](const Unit& candidate) { return candidate.name == text; });
  if (unit == std::end(kUnits) || whole.empty() || whole.size() > kMostDigits ||
      fraction.size() > kMostDigits) {
    return std::nullopt;
  }
  const int64_t count = std::stoll(std::string(whole));
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  if (count > kMost / unit->nanoseconds) return std::nullopt;
  int64_t nanoseconds = count * unit->nanoseconds;
  int64_t place = unit->nanoseconds;
  for (const char digit : fraction) {
    // A digit beyond the nanosecond would be lost without a word.
    const int64_t tenfold = (digit - '0') * place;
    if (tenfold % 10 != 0 || (place == 0 && digit != '0')) return std::nullopt;
    if (tenfold / 10 > kMost - nanoseconds) return std::nullopt;
    nanoseconds += tenfold / 10;
    place /= 10;
  }
  return std::chrono::nanoseconds(nanoseconds);
}

std::string duration_text(std::chrono::nanoseconds duration) {
  const int64_t count = duration.count();
  if (count == 0) return "0s";
  for (const Unit& unit : kUnits) {
    if (count % unit.nanoseconds == 0) {
      return std::to_string(count / unit.nanoseconds) + std::string(unit.name);
    }
  }
  constexpr int64_t kInMillisecond = 1'000'000;
  std::string fraction = std::to_string(kInMillisecond + count % kInMillisecond).substr(1);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return std::to_string(count / kInMillisecond) + '.' + fraction + "ms";
}

std::optional<int64_t> parse_mode(std::string_view text) {
  if (text.size() == 4 && text.front() == '0') text.remove_prefix(1);
  if (text.size() != 3) return std::nullopt;
  int64_t mode = 0;
  for (const char c : text) {
    if (c < '0' || c > '7') return std::nullopt;
    mode = mode * 8 + (c - '0');
  }
  return mode;
}

std::string mode_text(int64_t mode) {
  std::string text = "0";
  for (const int shift : {6, 3, 0}) text += static_cast<char>('0' + ((mode >> shift) & 7));
  return text;
}

}  // namespace longshore::config
