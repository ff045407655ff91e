// Flags and their values as Go's packages flag and time read them, for command lines that stand in
// manifests and scripts of programs written in Go.
//
// Threads: any; plain functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace longshore::go {

struct FlagWord {
  std::string name;  // without its dashes
  std::optional<std::string> value;
};

// "-name", "--name", "-name=value"; none for what is no flag.
std::optional<FlagWord> flag_word(std::string_view text);

// strconv.ParseBool
std::optional<bool> parse_bool(std::string_view text);
// Decimal, with or without a sign.
std::optional<int64_t> parse_int(std::string_view text);
// Finite.
std::optional<double> parse_float(std::string_view text);
// time.ParseDuration: "300ms", "1.5h", "2h45m", "0". No negative ones, for which nobody has a use.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);

}  // namespace longshore::go
