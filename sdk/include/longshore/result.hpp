// Errors as values: what was tried, on what, what the system answered and what to do about it.
//
// Everything that can fail returns Result<T>. The agent and the SDK share this one vocabulary;
// nothing of it crosses the module ABI, where an error is a status code and a sentence.
//
// Threads: plain values, no shared state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>

namespace longshore {

// gRPC's status codes, by gRPC's numbers.
enum class StatusCode : int32_t {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

// "NOT_FOUND"; "CODE_<n>" for a number that gRPC does not define.
inline std::string status_code_name(StatusCode code) {
  static constexpr std::string_view kNames[] = {"OK",
                                                "CANCELLED",
                                                "UNKNOWN",
                                                "INVALID_ARGUMENT",
                                                "DEADLINE_EXCEEDED",
                                                "NOT_FOUND",
                                                "ALREADY_EXISTS",
                                                "PERMISSION_DENIED",
                                                "RESOURCE_EXHAUSTED",
                                                "FAILED_PRECONDITION",
                                                "ABORTED",
                                                "OUT_OF_RANGE",
                                                "UNIMPLEMENTED",
                                                "INTERNAL",
                                                "UNAVAILABLE",
                                                "DATA_LOSS",
                                                "UNAUTHENTICATED"};
  const auto number = static_cast<int32_t>(code);
  if (number < 0 || number > 16) return "CODE_" + std::to_string(number);
  return std::string(kNames[number]);
}

// The code that tells a caller most about a system error.
inline StatusCode status_code_of(const std::error_code& error) {
  using std::errc;
  const std::error_condition condition = error.default_error_condition();
  const auto is = [&](errc value) { return condition == std::make_error_condition(value); };
  if (is(errc::no_such_file_or_directory) || is(errc::no_such_device) ||
      is(errc::no_such_device_or_address)) {
    return StatusCode::kNotFound;
  }
  if (is(errc::file_exists)) return StatusCode::kAlreadyExists;
  if (is(errc::permission_denied) || is(errc::operation_not_permitted)) {
    return StatusCode::kPermissionDenied;
  }
  if (is(errc::invalid_argument) || is(errc::filename_too_long)) {
    return StatusCode::kInvalidArgument;
  }
  if (is(errc::directory_not_empty) || is(errc::not_a_directory) || is(errc::is_a_directory) ||
      is(errc::device_or_resource_busy) || is(errc::read_only_file_system) ||
      is(errc::cross_device_link) || is(errc::too_many_symbolic_link_levels)) {
    return StatusCode::kFailedPrecondition;
  }
  if (is(errc::no_space_on_device) || is(errc::not_enough_memory) ||
      is(errc::too_many_files_open) || is(errc::too_many_files_open_in_system)) {
    return StatusCode::kResourceExhausted;
  }
  if (is(errc::timed_out)) return StatusCode::kDeadlineExceeded;
  if (is(errc::operation_canceled)) return StatusCode::kCancelled;
  if (is(errc::not_supported) || is(errc::operation_not_supported) ||
      is(errc::function_not_supported)) {
    return StatusCode::kUnimplemented;
  }
  if (is(errc::connection_refused) || is(errc::connection_reset) || is(errc::host_unreachable) ||
      is(errc::network_unreachable) || is(errc::broken_pipe)) {
    return StatusCode::kUnavailable;
  }
  return StatusCode::kInternal;
}

// Why something failed. Built in one expression:
//   return Error(StatusCode::kNotFound, "open the module", path).because(code).advise("...");
// and read as one sentence:
//   cannot open the module "/x.so": No such file or directory (ENOENT-like text); <advice>
class Error {
 public:
  // `operation` completes "cannot ..."; `object` is what it was tried on and is quoted.
  Error(StatusCode code, std::string operation, std::string object = {})
      : code_(code), operation_(std::move(operation)), object_(std::move(object)) {}

  // An error whose sentence is complete already, as one that came over the wire is.
  static Error of_text(StatusCode code, std::string text) {
    Error error(code, {});
    error.cause_ = std::move(text);
    return error;
  }

  // What the system answered. Decides the code too, unless one was given (kUnknown means none).
  Error because(const std::error_code& system) && {
    if (code_ == StatusCode::kUnknown) code_ = status_code_of(system);
    system_ = system;
    cause_ = system.message();
    return std::move(*this);
  }
  Error because(std::string cause) && {
    cause_ = std::move(cause);
    return std::move(*this);
  }
  Error advise(std::string advice) && {
    advice_ = std::move(advice);
    return std::move(*this);
  }

  StatusCode code() const { return code_; }
  const std::string& operation() const { return operation_; }
  const std::string& object() const { return object_; }
  const std::string& advice() const { return advice_; }
  // The system's code, if the system said anything.
  const std::error_code& system() const { return system_; }

  std::string message() const {
    std::string text;
    if (!operation_.empty()) text = "cannot " + operation_;
    if (!object_.empty()) text += (text.empty() ? "\"" : " \"") + object_ + "\"";
    if (!cause_.empty()) text += (text.empty() ? "" : ": ") + cause_;
    if (!advice_.empty()) text += "; " + advice_;
    return text;
  }

 private:
  StatusCode code_;
  std::string operation_;
  std::string object_;
  std::string cause_;
  std::string advice_;
  std::error_code system_;
};

// A value, or the reason why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(*-explicit-*)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(*-explicit-*)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return *std::get_if<0>(&state_); }
  const T& value() const& { return *std::get_if<0>(&state_); }
  T&& value() && { return std::move(*std::get_if<0>(&state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& { return *std::get_if<1>(&state_); }
  Error&& error() && { return std::move(*std::get_if<1>(&state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(*-explicit-*)

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const& { return *error_; }
  Error&& error() && { return std::move(*error_); }

 private:
  std::optional<Error> error_;
};

}  // namespace longshore
