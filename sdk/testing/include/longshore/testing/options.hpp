// What a test tells the fake host, and what it is told: plain values.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "longshore/abi.h"
#include "longshore/result.hpp"

namespace longshore::testing {

// The value of an option, by the type that the description gives it; a duration is a DURATION.
using SettingValue = std::variant<bool, int64_t, double, std::string, std::vector<std::string>,
                                  std::chrono::nanoseconds>;

struct StartOptions {
  std::map<std::string, SettingValue> settings = {};  // by name, as in [modules.<name>.settings]
  std::string handover = {};                          // what an instance before this one left
  std::string state_directory = {};                   // empty: there is none
  std::string instance_name = "test";
};

struct CallOptions {
  std::optional<std::chrono::nanoseconds> timeout = {};  // none: no deadline
  uint32_t credit = UINT32_MAX;                          // messages before the first `grant`
  std::string caller = "uid:0";
  std::string on_behalf_of = {};  // empty: the caller itself
  std::string request_id = "test-request";
  // Without it, a method that the description does not have reaches the module as well: what the
  // agent never lets happen.
  bool described_only = true;
};

// Before the name of a method that the module invokes and the test has no answer to: the outcome's
// text.
inline constexpr const char* kNoAnswer = "the test has no answer to ";

// How a method that the module invokes ends.
struct Answer {
  StatusCode code = StatusCode::kOk;
  std::string text = {};
  std::vector<std::string> messages = {};
};

struct LogLine {
  longshore_log_level level = LONGSHORE_LOG_INFO;
  std::string text = {};
  std::string method = {};  // of the call that it belongs to, if it does
};

}  // namespace longshore::testing
