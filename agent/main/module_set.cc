#include "main/module_set.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <thread>
#include <utility>

#include "longshore/module/v1.pb.h"

namespace longshore {
namespace {

using loader::Instance;

void set_value(const config::OptionValue& from, module::v1::Value& to) {
  if (const auto* flag = std::get_if<bool>(&from)) {
    to.set_bool_value(*flag);
  } else if (const auto* number = std::get_if<int64_t>(&from)) {
    to.set_int_value(*number);
  } else if (const auto* real = std::get_if<double>(&from)) {
    to.set_float_value(*real);
  } else if (const auto* text = std::get_if<std::string>(&from)) {
    to.set_string_value(*text);
  } else {
    auto* strings = to.mutable_strings_value();
    for (const auto& each : std::get<std::vector<std::string>>(from)) strings->add_values(each);
  }
}

loader::InstanceOptions instance_options(const config::ModuleSettings& settings) {
  loader::InstanceOptions options;
  options.name = settings.name;
  options.max_concurrent_calls = static_cast<size_t>(settings.max_concurrent_calls);
  options.max_queued_calls = static_cast<size_t>(settings.max_queued_calls);
  options.max_stuck_calls = static_cast<size_t>(settings.max_stuck_calls);
  options.start_timeout = settings.start_timeout;
  options.may_call = std::make_shared<const std::set<std::string, std::less<>>>(
      settings.may_call.begin(), settings.may_call.end());
  return options;
}

// A method with what the configuration says of it.
std::shared_ptr<const router::Method> configured(const router::Method& described,
                                                 const config::ModuleSettings& settings) {
  auto method = std::make_shared<router::Method>(described);
  const auto denied = [&](const std::string& name) {
    return name == method->full_name || name == method->service;
  };
  method->denied = std::any_of(settings.deny_methods.begin(), settings.deny_methods.end(), denied);
  const auto own = settings.method_timeouts.find(method->full_name);
  method->timeout = own == settings.method_timeouts.end() ? settings.call_timeout : own->second;
  return method;
}

// Where there is nobody to take calls: says why the module is not there.
class FailedTarget final : public router::Target {
 public:
  explicit FailedTarget(std::string why) : why_(std::move(why)) {}
  Result<void> submit(std::shared_ptr<router::Call>) override {
    return Error::of_text(StatusCode::kUnavailable, why_);
  }
  void execute(router::Call&) override {}
  void on_cancel(router::Call&) override {}
  void on_writable(router::Call&) override {}
  void on_stuck(router::Call&) override {}
  void on_end(router::Call&) override {}

 private:
  const std::string why_;
};

}  // namespace

ModuleSet::ModuleSet(InspectedModules& modules, router::Router& router,
                     endpoint::CatalogHolder& catalog, observe::Log& log)
    : modules_(modules), router_(router), catalog_(catalog), log_(log) {}

void ModuleSet::set_builtin(loader::ModuleDescription description,
                            std::shared_ptr<router::Target> target) {
  builtin_ = std::move(description);
  builtin_target_ = std::move(target);
}

Result<ModuleSet::Entry> ModuleSet::load(const config::ModuleSettings& settings,
                                         const config::AgentSettings& agent) {
  Entry entry;
  entry.settings = settings;
  Result<std::string> path = modules_.find(settings, agent);
  if (!path) return std::move(path).error();
  entry.path = *path;
  const Result<loader::InspectionOptions> checks = modules_.checks_for(settings, agent);
  if (!checks) return checks.error();
  Result<loader::ModuleFacts> facts = loader::inspect_module(entry.path, *checks);
  if (!facts) return std::move(facts).error();
  entry.facts = std::move(*facts);
  return entry;
}

Result<void> ModuleSet::bring_up(Entry& entry, std::string handover) {
  loader::InspectionOptions exactly_that;
  exactly_that.required_sha256 = entry.facts.sha256;
  const Result<loader::Image*> image = loader::load_module(entry.path, exactly_that, max_images_);
  if (!image) return image.error();
  auto instance = Instance::create(**image, instance_options(entry.settings), router_, log_);
  if (!instance) return std::move(instance).error();
  entry.instance = std::move(*instance);
  auto started = entry.instance->start(settings_message(entry.settings), std::move(handover));
  if (started) {
    log_.info("module serves", {{"module", entry.settings.name},
                                {"library", entry.facts.name},
                                {"version", entry.facts.version}});
  }
  return started;
}

bool ModuleSet::unchanged(const Entry& running, const Entry& wanted) const {
  return running.instance && running.settings == wanted.settings &&
         running.facts.sha256 == wanted.facts.sha256;
}

Result<void> ModuleSet::prepare(const config::Configuration& configuration, OnFailure on_failure) {
  state_dir_ = configuration.agent.state_dir;
  stop_timeout_ = configuration.agent.stop_timeout;
  max_images_ = static_cast<size_t>(configuration.agent.limits.max_images);
  Entries prepared;
  Result<void> outcome;
  for (const auto& settings : configuration.modules) {
    if (!settings.enabled) continue;
    Result<Entry> entry = load(settings, configuration.agent);
    if (!entry) {
      outcome = std::move(entry).error();
      break;
    }
    const auto running = running_.find(settings.name);
    if (running != running_.end() && unchanged(running->second, *entry)) {
      prepared.emplace(settings.name, running->second);
      continue;
    }
    const bool exchanged_later = running != running_.end() && running->second.instance &&
                                 !entry->facts.description.may_overlap;
    if (!exchanged_later) {
      if (auto up = bring_up(*entry, {}); !up) {
        entry->failure = up.error().message();
        log_.error(entry->failure, {{"module", settings.name}});
        if (on_failure == OnFailure::kGiveUp) {
          prepared.emplace(settings.name, std::move(*entry));
          outcome = std::move(up).error();
          break;
        }
      }
    }
    prepared.emplace(settings.name, std::move(*entry));
  }
  {
    const std::lock_guard lock(mutex_);
    prepared_ = std::move(prepared);
  }
  if (!outcome) roll_back();
  return outcome;
}

void ModuleSet::roll_back() {
  for (auto& [name, entry] : prepared_) {
    const auto running = running_.find(name);
    const bool kept = running != running_.end() && running->second.instance == entry.instance;
    if (entry.instance && !kept) stop(entry.instance);
  }
  const std::lock_guard lock(mutex_);
  prepared_.clear();
}

std::vector<std::string> ModuleSet::commit() {
  std::vector<std::string> sentences;
  for (auto& [name, entry] : prepared_) {
    const auto running = running_.find(name);
    if (running != running_.end() && !entry.instance && entry.failure.empty()) {
      exchange(running->second, entry, sentences);
    }
  }
  publish(prepared_);
  Entries old_ones;
  {
    const std::lock_guard lock(mutex_);
    old_ones.swap(running_);
    running_.swap(prepared_);
  }
  for (auto& [name, entry] : old_ones) {
    const auto now = running_.find(name);
    const bool kept = now != running_.end() && now->second.instance == entry.instance;
    if (entry.instance && !kept) stop(entry.instance);
  }
  return sentences;
}

void ModuleSet::exchange(Entry& old_entry, Entry& new_entry, std::vector<std::string>& sentences) {
  Result<std::string> handover = old_entry.instance->stop(router::Clock::now() + stop_timeout_);
  const std::string left = handover ? *handover : std::string();
  if (auto up = bring_up(new_entry, left); !up) {
    sentences.push_back(
        "the module " + new_entry.settings.name +
        " did not start with its new settings and runs with the old ones: " + up.error().message());
    if (new_entry.instance) stop(new_entry.instance);
    new_entry = old_entry;
    new_entry.instance = nullptr;
    if (auto again = bring_up(new_entry, left); !again) {
      new_entry.failure = again.error().message();
      sentences.push_back("the module " + new_entry.settings.name +
                          " did not start with its old settings either: " + new_entry.failure);
    }
  }
  old_entry.instance = nullptr;  // it is stopped
}

void ModuleSet::publish(const Entries& entries) {
  auto routes = std::make_shared<router::RouteTable>();
  auto catalog = std::make_shared<endpoint::ServiceCatalog>();
  for (const auto& [name, entry] : entries) {
    const bool serves = entry.instance && entry.failure.empty();
    catalog->add(entry.facts.description, serves);
    std::shared_ptr<router::Target> target = entry.instance;
    if (!serves) {
      target = std::make_shared<FailedTarget>("the module " + name +
                                              " is not running: " + entry.failure);
    }
    for (const auto& method : entry.facts.description.methods) {
      routes->emplace(method.full_name, router::Route{configured(method, entry.settings), target});
    }
  }
  catalog->add(builtin_, true);
  for (const auto& method : builtin_.methods) {
    routes->emplace(method.full_name,
                    router::Route{std::make_shared<router::Method>(method), builtin_target_});
  }
  catalog_.set(std::move(catalog));
  router_.set_routes(std::move(routes));
}

void ModuleSet::stop(const std::shared_ptr<Instance>& instance) {
  if (auto stopped = instance->stop(router::Clock::now() + stop_timeout_); !stopped) {
    log_.warning(stopped.error().message());
  }
}

void ModuleSet::stop_all(std::chrono::nanoseconds timeout) {
  const auto deadline = router::Clock::now() + timeout;
  std::vector<std::thread> threads;
  for (auto& [name, entry] : running_) {
    if (!entry.instance) continue;
    threads.emplace_back([this, instance = entry.instance, deadline] {
      if (auto stopped = instance->stop(deadline); !stopped) {
        log_.warning(stopped.error().message());
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

std::vector<ModuleSet::Entry> ModuleSet::list() const {
  const std::lock_guard lock(mutex_);
  std::vector<Entry> entries;
  for (const auto& [name, entry] : running_) entries.push_back(entry);
  return entries;
}

std::vector<loader::CsiProxyEndpoint> ModuleSet::csi_proxy_endpoints(bool prepared) const {
  const std::lock_guard lock(mutex_);
  std::vector<loader::CsiProxyEndpoint> endpoints;
  for (const auto& [name, entry] : prepared ? prepared_ : running_) {
    const auto& described = entry.facts.description.csi_proxy_endpoints;
    endpoints.insert(endpoints.end(), described.begin(), described.end());
  }
  return endpoints;
}

std::string ModuleSet::settings_message(const config::ModuleSettings& settings) const {
  module::v1::Settings message;
  for (const auto& [name, value] : settings.settings) {
    set_value(value, (*message.mutable_values())[name]);
  }
  message.set_instance_name(settings.name);
  const std::filesystem::path folder = std::filesystem::path(state_dir_) / settings.name;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) {
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
    message.set_state_directory(folder.string());
  }
  return message.SerializeAsString();
}

}  // namespace longshore
