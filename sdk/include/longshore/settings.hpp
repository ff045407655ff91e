// The settings that `start` gets, by name. Every option of the description has a value of its
// declared type, so reading one cannot fail; asking for an option that the description does not
// have, or by another type, is a mistake in the module and gives the type's zero.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/module/v1.pb.h"

namespace longshore {

class Settings {
 public:
  Settings() = default;
  explicit Settings(module::v1::Settings message) : message_(std::move(message)) {}

  bool get_bool(std::string_view name) const { return value(name).bool_value(); }
  int64_t get_int(std::string_view name) const { return value(name).int_value(); }
  double get_float(std::string_view name) const { return value(name).float_value(); }
  std::string get_string(std::string_view name) const { return value(name).string_value(); }
  std::chrono::nanoseconds get_duration(std::string_view name) const {
    return std::chrono::nanoseconds(value(name).int_value());
  }
  std::vector<std::string> get_strings(std::string_view name) const {
    const auto& values = value(name).strings_value().values();
    return {values.begin(), values.end()};
  }

  // A directory of the instance's own that survives restarts; empty when there is none.
  const std::string& state_directory() const { return message_.state_directory(); }
  const std::string& instance_name() const { return message_.instance_name(); }

  // What texts for people call the option: its key, or the flag "--probe-timeout" where the
  // settings were given by csi-sidecars' flags.
  std::string shown_name(std::string_view name) const {
    if (!message_.are_flags()) return std::string(name);
    std::string flag = "--" + std::string(name);
    std::replace(flag.begin(), flag.end(), '_', '-');
    return flag;
  }

 private:
  const module::v1::Value& value(std::string_view name) const {
    const auto found = message_.values().find(std::string(name));
    return found == message_.values().end() ? module::v1::Value::default_instance() : found->second;
  }

  module::v1::Settings message_;
};

}  // namespace longshore
