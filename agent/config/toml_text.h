// Values and keys as they are written in TOML, for messages, samples and `config show`.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace longshore::config {

// A basic string with its quotes: "a\"b". Control characters are escaped.
std::string in_quotes(std::string_view text);

// ["a", "b"]
std::string in_quotes(const std::vector<std::string>& texts);

// The key as it is, or in quotes when TOML asks for them.
std::string key_text(std::string_view key);

// "modules.disk" and "enabled" make "modules.disk.enabled". An empty `path` is the file's top.
std::string joined(std::string_view path, std::string_view key);

// "30s", "250ms", "10m", "2h", "1.5s": a decimal number and a unit. No sign, no sum of units.
// None for anything else, and for what does not fit nanoseconds.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);

// A text that parse_duration() reads as the same duration, in the largest unit that divides it.
// Not for negative ones.
std::string duration_text(std::chrono::nanoseconds duration);

// "0660": three octal digits after an optional 0.
std::optional<int64_t> parse_mode(std::string_view text);
std::string mode_text(int64_t mode);

}  // namespace longshore::config
