// Any text as a duration of a configuration, and as one of a flag in Go's form: none is negative,
// what is written again is the same, and what a configuration may have a flag may have too.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "config/toml_text.h"
#include "main/go_flags.h"

namespace {

using namespace longshore;

void require(bool condition) {
  if (!condition) std::abort();
}

// Go's fractions are floating point there and here.
constexpr std::chrono::nanoseconds kRounding{1};

void check(std::chrono::nanoseconds duration) {
  require(duration.count() >= 0);
  require(config::parse_duration(config::duration_text(duration)) == duration);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto flag = go::parse_duration(text);
  if (flag) check(*flag);
  const auto key = config::parse_duration(text);
  if (!key) return 0;
  check(*key);
  require(flag && std::chrono::abs(*flag - *key) <= kRounding);
  return 0;
}
