#include "main/go_flags.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

namespace longshore::go {
namespace {

struct Unit {
  std::string_view name;
  int64_t nanoseconds;
};
constexpr std::array kUnits = {
    Unit{"ns", 1},
    Unit{"us", 1'000},
    Unit{"\u00b5s", 1'000},  // the sign micro, and the Greek letter
    Unit{"\u03bcs", 1'000},
    Unit{"ms", 1'000'000},
    Unit{"s", 1'000'000'000},
    Unit{"m", 60'000'000'000},
    Unit{"h", 3'600'000'000'000},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes the characters at the front of `text` that are of `kind`.
template <typename Kind>
std::string_view take(std::string_view& text, Kind kind) {
  const auto end = std::ranges::find_if_not(text, kind);
  const std::string_view taken = text.substr(0, static_cast<size_t>(end - text.begin()));
  text.remove_prefix(taken.size());
  return taken;
}

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// "45m" and "1.5h", of which "2h45m" is a sum. Takes one from the front of `text`.
std::optional<int64_t> take_part(std::string_view& text) {
  constexpr size_t kMostDigits = 18;  // any such number fits int64_t
  const std::string_view whole = take(text, is_digit);
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = take(text, is_digit);
  }
  const std::string_view name = take(text, [](char c) { return c != '.' && !is_digit(c); });
  const auto unit = std::ranges::find(kUnits, name, &Unit::name);
  if (unit == kUnits.end() || (whole.empty() && fraction.empty()) || whole.size() > kMostDigits ||
      fraction.size() > kMostDigits) {
    return std::nullopt;
  }
  const int64_t count = parse_number<int64_t>(whole).value_or(0);
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  if (count > kMost / unit->nanoseconds) return std::nullopt;
  const int64_t nanoseconds = count * unit->nanoseconds;
  const double part = static_cast<double>(parse_number<int64_t>(fraction).value_or(0)) /
                      std::pow(10.0, static_cast<double>(fraction.size()));
  const auto rest = static_cast<int64_t>(part * static_cast<double>(unit->nanoseconds));
  if (rest > kMost - nanoseconds) return std::nullopt;
  return nanoseconds + rest;
}

}  // namespace

std::optional<FlagWord> flag_word(std::string_view text) {
  if (!text.starts_with('-') || text == "-" || text == "--") return std::nullopt;
  text.remove_prefix(text.starts_with("--") ? 2 : 1);
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return FlagWord{std::string(text), std::nullopt};
  return FlagWord{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

std::optional<bool> parse_bool(std::string_view text) {
  for (const char* yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) return true;
  }
  for (const char* no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

std::optional<int64_t> parse_int(std::string_view text) {
  if (text.starts_with("+") && !text.starts_with("+-")) text.remove_prefix(1);
  return parse_number<int64_t>(text);
}

std::optional<double> parse_float(std::string_view text) {
  const std::optional<double> number = parse_number<double>(text);
  if (!number || !std::isfinite(*number)) return std::nullopt;
  return number;
}

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return std::chrono::nanoseconds(0);
  if (text.empty()) return std::nullopt;
  int64_t sum = 0;
  while (!text.empty()) {
    const std::optional<int64_t> part = take_part(text);
    if (!part || *part > std::numeric_limits<int64_t>::max() - sum) return std::nullopt;
    sum += *part;
  }
  return std::chrono::nanoseconds(sum);
}

}  // namespace longshore::go
