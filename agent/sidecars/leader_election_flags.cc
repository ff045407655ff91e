#include "sidecars/leader_election_flags.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "config/leader_election_rules.h"
#include "config/module_catalog.h"
#include "config/toml_text.h"
#include "main/go_flags.h"
#include "sidecars/flag_value.h"

namespace longshore::sidecars {
namespace {

using config::LeaderElectionSettings;
using std::chrono::nanoseconds;

constexpr std::string_view kElection = "leader-election";
constexpr std::string_view kNamespace = "leader-election-namespace";
constexpr std::string_view kLeaseDuration = "leader-election-lease-duration";
constexpr std::string_view kRenewDeadline = "leader-election-renew-deadline";
constexpr std::string_view kRetryPeriod = "leader-election-retry-period";
constexpr std::string_view kLabels = "leader-election-labels";
constexpr std::array kFlags = {kElection,      kNamespace,   kLeaseDuration,
                               kRenewDeadline, kRetryPeriod, kLabels};

Error wrong(std::string_view flag, std::string why) {
  return Error(StatusCode::kInvalidArgument, "use the flag", "--" + std::string(flag))
      .because(std::move(why));
}

class Reader {
 public:
  explicit Reader(const std::map<std::string, std::string, std::less<>>& values)
      : values_(values) {}

  Result<std::optional<LeaderElectionSettings>> read() {
    bool is_on = false;
    if (auto taken = read_bool(kElection, "", is_on); !taken) return std::move(taken).error();
    for (const auto step : {&Reader::read_namespace, &Reader::read_times, &Reader::read_labels}) {
      if (auto done = (this->*step)(); !done) return std::move(done).error();
    }
    if (auto taken = read_bool("feature-gates", kReleaseGate, settings_.release_on_exit); !taken) {
      return std::move(taken).error();
    }
    return is_on ? std::optional(std::move(settings_)) : std::nullopt;
  }

 private:
  // Null: it is not given.
  const std::string* value(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second;
  }

  Result<void> read_bool(std::string_view flag, std::string_view gate, bool& to) const {
    const std::string* const text = value(gate.empty() ? flag : gate);
    if (text == nullptr) return {};
    const auto parsed = go::parse_bool(*text);
    if (!parsed) return wrong(flag, config::in_quotes(*text) + " is neither true nor false");
    to = *parsed;
    return {};
  }

  Result<void> read_namespace() {
    const std::string* const text = value(kNamespace);
    if (text == nullptr) return {};
    if (!config::is_namespace(*text)) {
      return wrong(kNamespace, config::in_quotes(*text) + " is no name of a namespace");
    }
    settings_.name_space = *text;
    return {};
  }

  Result<void> read_duration(std::string_view flag, nanoseconds& to) const {
    const std::string* const text = value(flag);
    if (text == nullptr) return {};
    config::OptionSchema option;
    option.type = config::OptionType::kDuration;
    option.range = config::kLeaderElectionTimes;
    auto read = flag_value("--" + std::string(flag), option, *text);
    if (!read) return std::move(read).error();
    to = nanoseconds(std::get<int64_t>(*read));
    return {};
  }

  // What the configuration would refuse too, by names that nobody wrote.
  Result<void> read_times() {
    LeaderElectionSettings& s = settings_;
    if (auto read = read_duration(kLeaseDuration, s.lease_duration); !read) return read;
    if (auto read = read_duration(kRenewDeadline, s.renew_deadline); !read) return read;
    if (auto read = read_duration(kRetryPeriod, s.retry_period); !read) return read;
    if (!has_whole_seconds(s)) return wrong(kLeaseDuration, "it must be whole seconds");
    if (!renews_before_end(s)) {
      return wrong(kRenewDeadline, config::duration_text(s.renew_deadline) +
                                       " is not shorter than --leader-election-lease-duration, " +
                                       config::duration_text(s.lease_duration));
    }
    if (!tries_before_deadline(s)) {
      return wrong(kRetryPeriod,
                   "--leader-election-renew-deadline, " + config::duration_text(s.renew_deadline) +
                       ", must be more than 1.2 times " + config::duration_text(s.retry_period));
    }
    return {};
  }

  // "name:value,name:value"
  Result<void> read_labels() {
    const std::string* const text = value(kLabels);
    std::string_view left = text == nullptr ? std::string_view() : *text;
    while (!left.empty()) {
      const size_t comma = std::min(left.find(','), left.size());
      const std::string label(left.substr(0, comma));
      left.remove_prefix(std::min(comma + 1, left.size()));
      const size_t colon = label.find(':');
      if (colon == 0 || colon == label.npos || label.find_first_of(":=", colon + 1) != label.npos ||
          label.find('=') != label.npos) {
        return wrong(kLabels, config::in_quotes(label) + " is no label")
            .advise("write it as name:value, with commas between several");
      }
      settings_.labels.push_back(label.substr(0, colon) + '=' + label.substr(colon + 1));
    }
    return {};
  }

  const std::map<std::string, std::string, std::less<>>& values_;
  LeaderElectionSettings settings_;
};

}  // namespace

std::span<const std::string_view> leader_election_flags() { return kFlags; }

Result<std::optional<LeaderElectionSettings>> leader_election_settings(
    const std::map<std::string, std::string, std::less<>>& values) {
  return Reader(values).read();
}

std::string leader_election_section(const std::string& table,
                                    const LeaderElectionSettings& settings) {
  const LeaderElectionSettings defaults;
  std::string text = "\n[" + table + "]\nlease = " + config::in_quotes(settings.lease) + '\n';
  const auto add = [&](const char* key, const std::string& value, bool is_default) {
    if (!is_default) text += key + (" = " + value) + '\n';
  };
  const auto add_time = [&](const char* key, nanoseconds time, nanoseconds usual) {
    add(key, config::in_quotes(config::duration_text(time)), time == usual);
  };
  add("namespace", config::in_quotes(settings.name_space), settings.name_space.empty());
  add_time("lease_duration", settings.lease_duration, defaults.lease_duration);
  add_time("renew_deadline", settings.renew_deadline, defaults.renew_deadline);
  add_time("retry_period", settings.retry_period, defaults.retry_period);
  add("labels", config::in_quotes(settings.labels), settings.labels.empty());
  add("release_on_exit", settings.release_on_exit ? "true" : "false",
      settings.release_on_exit == defaults.release_on_exit);
  return text;
}

}  // namespace longshore::sidecars
