#include "system/linux/systemd_unit.h"

#include <algorithm>
#include <map>
#include <optional>

namespace longshore::system {
namespace {

constexpr const char* kUnit = "org.freedesktop.systemd1.Unit";
constexpr const char* kProperties = "org.freedesktop.DBus.Properties";

constexpr std::string_view kDependants[] = {"RequiredBy", "RequisiteOf", "BoundBy", "ConsistsOf",
                                            "PropagatesStopTo"};

Error unreadable(const Purpose& purpose) {
  return purpose.error(StatusCode::kInternal).because("systemd's answer has an unknown form");
}

// Calls a method that answers with an object path.
Result<std::string> call_for_path(BusConnection& bus, const Purpose& purpose, const char* method,
                                  std::initializer_list<std::string> arguments) {
  Result<BusReply> reply = bus.call(purpose, kSystemdPath, kSystemdManager, method, arguments);
  if (!reply) return std::move(reply).error();
  std::optional<std::string> path = reply->text();
  if (!path) return unreadable(purpose);
  return *std::move(path);
}

void add_dependants(std::vector<std::string> names, std::vector<std::string>& dependants) {
  for (std::string& name : names) {
    if (std::find(dependants.begin(), dependants.end(), name) == dependants.end()) {
      dependants.push_back(std::move(name));
    }
  }
}

}  // namespace

Result<SystemdUnit> read_unit(BusConnection& bus, const Purpose& purpose, const std::string& unit) {
  const Result<std::string> path = call_for_path(bus, purpose, "LoadUnit", {unit});
  if (!path) return path.error();
  Result<BusReply> reply = bus.call(purpose, *path, kProperties, "GetAll", {kUnit});
  if (!reply) return std::move(reply).error();

  SystemdUnit found;
  const std::map<std::string_view, std::string*> texts = {
      {"Description", &found.description},       {"LoadState", &found.load_state},
      {"ActiveState", &found.active_state},      {"SubState", &found.sub_state},
      {"UnitFileState", &found.unit_file_state},
  };
  const bool complete = reply->each_property([&](const std::string& key) {
    if (const auto wanted = texts.find(key); wanted != texts.end()) {
      std::optional<std::string> value = reply->variant_text();
      if (!value) return false;
      *wanted->second = *std::move(value);
      return true;
    }
    if (std::find(std::begin(kDependants), std::end(kDependants), key) == std::end(kDependants)) {
      return false;
    }
    std::optional<std::vector<std::string>> names = reply->variant_texts();
    if (!names) return false;
    add_dependants(*std::move(names), found.dependants);
    return true;
  });
  if (!complete || found.load_state.empty() || found.active_state.empty()) {
    return unreadable(purpose);
  }
  return found;
}

Result<std::string> run_job(BusConnection& bus, const Purpose& purpose, const char* method,
                            const std::string& unit) {
  if (Result<void> watching = bus.watch_jobs(purpose); !watching) {
    return std::move(watching).error();
  }
  // "replace": in place of a job for the same unit that contradicts this one.
  const Result<std::string> job = call_for_path(bus, purpose, method, {unit, "replace"});
  if (!job) return job.error();
  return bus.wait_for_job(purpose, *job);
}

}  // namespace longshore::system
