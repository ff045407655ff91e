#include "registration.h"

#include <algorithm>
#include <utility>

#include "longshore/socket_path.hpp"

namespace longshore::node_driver_registrar {
namespace {

constexpr size_t kMaxNameBytes = 63;

bool is_alphanumeric(char each) {
  return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') ||
         (each >= '0' && each <= '9');
}

Result<void> check_length(const std::string& path, const OptionNames& names) {
  const std::string excess = socket_path_excess(path);
  if (excess.empty()) return {};
  return Error(StatusCode::kInvalidArgument, "serve the registration socket", path)
      .because("its " + excess)
      .advise("mount the kubelet's folder at a shorter " + names.plugin_registration_path);
}

}  // namespace

Result<void> check_driver_name(const std::string& name) {
  const bool is_good = !name.empty() && name.size() <= kMaxNameBytes &&
                       is_alphanumeric(name.front()) && is_alphanumeric(name.back()) &&
                       std::ranges::all_of(name, [](char each) {
                         return is_alphanumeric(each) || each == '-' || each == '.';
                       });
  if (is_good) return {};
  return Error(StatusCode::kFailedPrecondition, "register the driver", name)
      .because(
          "its name is not one of CSI's: up to 63 letters, digits, dashes and dots, with a letter "
          "or digit at both ends");
}

std::string socket_path(const std::string& folder, const std::string& driver) {
  return folder + '/' + driver + "-reg.sock";
}

Result<void> check_folder(const std::string& folder, const OptionNames& names) {
  if (!folder.starts_with('/')) {
    return Error(StatusCode::kInvalidArgument, "use the " + names.plugin_registration_path, folder)
        .because("it is not an absolute path");
  }
  return check_length(socket_path(folder, "x"), names);
}

void Registration::driver_is(const std::string& name) {
  driver_trouble_.clear();
  const bool is_back = std::exchange(is_gone_, false);
  if (name == driver_ && !is_back) return;
  forget_troubles();
  pause_ = kFirstPause;
  std::string path = socket_path(folder_, name);
  auto checked = check_driver_name(name);
  if (checked) checked = check_length(path, names_);
  if (checked) {
    driver_ = name;
    path_ = std::move(path);
  } else {
    driver_trouble_ = checked.error().message();
    is_gone_ = true;  // so that the next name is looked at, whatever it is
    driver_.clear();
    path_.clear();
  }
  open();
}

void Registration::driver_is_gone(const std::string& reason) {
  is_gone_ = true;
  driver_trouble_ = reason;
}

void Registration::socket_is_there() {
  is_listening_ = true;
  socket_trouble_.clear();
  if (state_ == State::kPaused) return;
  state_ = State::kUnheard;
  alarm_ = kPatience;
}

void Registration::socket_is_lost(const std::string& reason) {
  is_listening_ = false;
  socket_trouble_ = reason;
  pause();
}

void Registration::kubelet_says(bool is_registered, const std::string& text) {
  is_unheard_ = false;
  if (!is_registered) {
    refusal_ = text.empty() ? "it gave no reason" : text;
    return pause();
  }
  refusal_.clear();
  state_ = State::kRegistered;
  pause_ = kFirstPause;
}

void Registration::time_is_over() {
  if (state_ == State::kUnheard) {
    is_unheard_ = true;
    pause();
  } else if (state_ == State::kPaused) {
    open();
  }
}

void Registration::open() {
  ++turn_;
  is_listening_ = false;
  state_ = path_.empty() ? State::kNoDriver : State::kOpening;
}

void Registration::pause() {
  if (state_ == State::kPaused) return;
  state_ = State::kPaused;
  alarm_ = pause_;
  pause_ = std::min(2 * pause_, kLongestPause);
}

void Registration::forget_troubles() {
  socket_trouble_.clear();
  refusal_.clear();
  is_unheard_ = false;
}

std::optional<std::chrono::nanoseconds> Registration::take_alarm() {
  return std::exchange(alarm_, std::nullopt);
}

std::string Registration::trouble() const {
  if (!refusal_.empty()) {
    return "the kubelet has not registered the driver \"" + driver_ + "\": " + refusal_ +
           "; see whether " + names_.kubelet_registration_path +
           " is the driver's socket on the node; it is tried again";
  }
  if (!socket_trouble_.empty()) return socket_trouble_;
  if (is_unheard_) {
    return "the kubelet has said nothing of the driver \"" + driver_ +
           "\" for 2 minutes; see whether the kubelet runs, and " +
           names_.plugin_registration_path + " is its folder plugins_registry; it is tried again";
  }
  return driver_trouble_;
}

Registration::Health Registration::health() const {
  if (!refusal_.empty()) return {500, trouble()};
  if (is_listening_) return {200, "ok"};
  if (!socket_trouble_.empty()) return {500, socket_trouble_};
  return {404, "there is no registration socket" +
                   (driver_trouble_.empty() ? std::string(" yet") : ": " + driver_trouble_)};
}

}  // namespace longshore::node_driver_registrar
