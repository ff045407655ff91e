// What becomes of a driver's registration with the kubelet: which socket is to be there, when it is
// to be made anew, and what to tell of it. It does nothing itself.
//
//   no driver ──its name──► opening ──the socket is there──► unheard ──true──► registered
//                              ▲                              │  │                 │
//                              │                   2 minutes ─┘  └─false─┐         ├─false
//                              └───1 s, then twice as long up to 60 s─── paused ◄──┘
//   the socket is lost: paused.  Another name, or the driver is back: opening.
//
// The kubelet tries again by itself only for a socket that it has not seen before. So where it
// refuses or says nothing the socket is made anew, until it says that the driver is registered.
//
// Threads: one at a time. Owner: the registrar.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "longshore/result.hpp"

namespace longshore::node_driver_registrar {

// CSI's rules: up to 63 letters, digits, dashes and dots, and at both ends a letter or digit.
Result<void> check_driver_name(const std::string& name);

// Where the driver's registration socket is, in the kubelet's folder.
std::string socket_path(const std::string& folder, const std::string& driver);

// What texts call the controller's options: by their keys, or as flags.
struct OptionNames {
  std::string kubelet_registration_path = "kubelet_registration_path";
  std::string plugin_registration_path = "plugin_registration_path";
  std::string timeout = "timeout";
};

// INVALID_ARGUMENT: the folder is no absolute path, or too long for even the shortest name.
Result<void> check_folder(const std::string& folder, const OptionNames& names = {});

class Registration {
 public:
  static constexpr std::chrono::seconds kFirstPause{1};
  static constexpr std::chrono::seconds kLongestPause{60};
  static constexpr std::chrono::minutes kPatience{2};  // with a kubelet that says nothing

  struct Health {
    uint32_t status;  // of HTTP
    std::string text;
  };

  // `folder`: the kubelet's, without a slash at its end.
  explicit Registration(std::string folder, OptionNames names = {})
      : folder_(std::move(folder)), names_(std::move(names)) {}

  // ---- what has happened
  void driver_is(const std::string& name);
  // Nobody serves there: when the driver is back it is another process, to be registered anew.
  void driver_is_gone(const std::string& reason);
  // It is there, and does not tell its name.
  void driver_fails(const std::string& reason) { driver_trouble_ = reason; }
  void socket_is_there();
  void socket_is_lost(const std::string& reason);
  void kubelet_says(bool is_registered, const std::string& text);
  // Of the last alarm.
  void time_is_over();

  // ---- what is to be done
  const std::string& driver() const { return driver_; }
  // The socket that is to be served; empty: none. Anew for each `turn`.
  const std::string& path() const { return path_; }
  uint64_t turn() const { return turn_; }
  // After which `time_is_over` is to come, in place of the alarm before; none: as it was.
  std::optional<std::chrono::nanoseconds> take_alarm();

  // ---- what to tell
  bool is_registered() const { return state_ == State::kRegistered; }
  // Why it is degraded; empty: it is not.
  std::string trouble() const;
  Health health() const;

 private:
  enum class State { kNoDriver, kOpening, kUnheard, kRegistered, kPaused };

  void open();
  void pause();
  void forget_troubles();

  const std::string folder_;
  const OptionNames names_;
  State state_ = State::kNoDriver;
  std::string driver_;
  std::string path_;
  uint64_t turn_ = 0;
  bool is_gone_ = true;
  bool is_listening_ = false;
  std::chrono::seconds pause_ = kFirstPause;  // the next one
  std::optional<std::chrono::nanoseconds> alarm_;
  // What is wrong; empty: nothing.
  std::string driver_trouble_;
  std::string socket_trouble_;
  std::string refusal_;      // the kubelet's words
  bool is_unheard_ = false;  // the kubelet has said nothing for too long
};

}  // namespace longshore::node_driver_registrar
