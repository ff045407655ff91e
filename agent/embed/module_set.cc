#include "embed/module_set.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "longshore/module/v1.pb.h"
#include "router/blocked_signals.h"

namespace longshore::embed {
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

// A method with what the configuration says of it, and what counts its calls.
std::shared_ptr<const router::Method> configured(const router::Method& described,
                                                 const config::ModuleSettings& settings,
                                                 observe::CallMetrics& call_metrics) {
  auto method = std::make_shared<router::Method>(described);
  method->module = settings.name;
  const auto denied = [&](const std::string& name) {
    return name == method->full_name || name == method->service;
  };
  method->denied = std::any_of(settings.deny_methods.begin(), settings.deny_methods.end(), denied);
  const auto own = settings.method_timeouts.find(method->full_name);
  method->timeout = own == settings.method_timeouts.end() ? settings.call_timeout : own->second;
  method->metrics = call_metrics.of(method->service, method->name, method->server_streaming);
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

 private:
  const std::string why_;
};

}  // namespace

ModuleSet::ModuleSet(InspectedModules& modules, router::Router& router,
                     loader::CatalogHolder& catalog, observe::CallMetrics& call_metrics,
                     observe::Log& log)
    : modules_(modules),
      router_(router),
      catalog_(catalog),
      call_metrics_(call_metrics),
      log_(log) {}

void ModuleSet::set_builtin(loader::ModuleDescription description,
                            std::shared_ptr<router::Target> target) {
  builtin_ = std::move(description);
  builtin_target_ = std::move(target);
}

Result<void> ModuleSet::create_and_start(Entry& entry, std::string handover) {
  // Before any code of the module runs: should it take the process with it, the log tells which.
  log_.info("starting module", {{"module", entry.settings.name}, {"file", entry.facts->path}});
  auto instance = Instance::create(entry.code, instance_options(entry.settings), router_, log_);
  if (!instance) return std::move(instance).error();
  entry.instance = std::move(*instance);
  return entry.instance->start(settings_message(entry.settings), std::move(handover));
}

bool ModuleSet::bring_up(Entry& entry, std::string handover) {
  const auto up = create_and_start(entry, std::move(handover));
  if (up) {
    log_.info("module serves", {{"module", entry.settings.name},
                                {"library", entry.facts->name},
                                {"version", entry.facts->version}});
  } else {
    entry.failure = up.error().message();
    log_.error(entry.failure, {{"module", entry.settings.name}});
  }
  return up.ok();
}

Result<ModuleSet::Entry> ModuleSet::prepare_entry(const config::ModuleSettings& settings,
                                                  const config::AgentSettings& agent) {
  Result<loader::Inspection> inspection = modules_.take(settings, agent);
  if (!inspection) return std::move(inspection).error();
  const auto found = running_.find(settings.name);
  const bool runs = found != running_.end() && found->second.serves();
  if (runs && found->second.settings == settings &&
      found->second.facts->sha256 == inspection->facts->sha256) {
    return found->second;
  }
  Entry entry;
  entry.settings = settings;
  entry.facts = inspection->facts;
  auto image = loader::load_module(std::move(*inspection), max_images_);
  if (!image) {
    entry.failure = image.error().message();
    log_.error(entry.failure, {{"module", settings.name}});
    return entry;
  }
  entry.code = std::move(*image);
  if (!runs || entry.facts->description.may_overlap) bring_up(entry, {});
  return entry;
}

Result<void> ModuleSet::prepare(const config::Configuration& configuration, OnFailure on_failure) {
  state_dir_ = configuration.agent.state_dir;
  stop_timeout_ = configuration.agent.stop_timeout;
  max_images_ = static_cast<size_t>(configuration.agent.limits.max_images);
  Entries prepared;
  Result<void> outcome;
  for (const auto& settings : configuration.modules) {
    if (!settings.enabled) continue;
    Result<Entry> entry = prepare_entry(settings, configuration.agent);
    if (!entry) {
      outcome = std::move(entry).error();
      break;
    }
    const std::string failure = entry->failure;
    prepared.emplace(settings.name, std::move(*entry));
    // One that failed before is tried again, but does not hold up what else has changed.
    const auto before = running_.find(settings.name);
    const bool served = before == running_.end() || before->second.serves();
    if (!failure.empty() && served && on_failure == OnFailure::kGiveUp) {
      outcome = Error::of_text(StatusCode::kFailedPrecondition, failure);
      break;
    }
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
  const std::string left = stop(old_entry.instance);
  if (!bring_up(new_entry, left)) {
    sentences.push_back(
        "the module " + new_entry.settings.name +
        " did not start with its new settings and is given its old ones: " + new_entry.failure);
    if (new_entry.instance) stop(new_entry.instance);
    new_entry = old_entry;
    new_entry.instance = nullptr;
    if (!bring_up(new_entry, left)) {
      sentences.push_back("the module " + new_entry.settings.name +
                          " did not start with its old settings either: " + new_entry.failure);
    }
  }
  const std::lock_guard lock(mutex_);  // readers may be at it
  old_entry.instance = nullptr;        // it is stopped
}

void ModuleSet::publish(const Entries& entries) {
  auto routes = std::make_shared<router::RouteTable>();
  auto catalog = std::make_shared<loader::ServiceCatalog>();
  for (const auto& [name, entry] : entries) {
    catalog->add(entry.facts->description, entry.serves());
    std::shared_ptr<router::Target> target = entry.instance;
    if (!entry.serves()) {
      target = std::make_shared<FailedTarget>("the module " + name +
                                              " is not running: " + entry.failure);
    }
    for (const auto& method : entry.facts->description.methods) {
      routes->emplace(method.full_name,
                      router::Route{configured(method, entry.settings, call_metrics_), target});
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

std::string ModuleSet::stop(const std::shared_ptr<Instance>& instance,
                            router::Clock::time_point deadline) {
  Result<std::string> handover = instance->stop(deadline);
  if (handover) return std::move(*handover);
  if (instance->is_abandoned()) has_abandoned_ = true;
  log_.warning(handover.error().message());
  return {};
}

void ModuleSet::stop_all(std::chrono::nanoseconds timeout) {
  const auto deadline = router::Clock::now() + timeout;
  const router::BlockedSignals blocked;
  std::vector<std::thread> threads;
  for (auto& [name, entry] : running_) {
    if (!entry.instance) continue;
    const auto stop_it = [this, instance = entry.instance, deadline] { stop(instance, deadline); };
    try {
      threads.emplace_back(stop_it);
    } catch (const std::system_error&) {
      stop_it();  // there is no thread to be had: one after the other
    }
  }
  for (auto& thread : threads) thread.join();
}

std::vector<ModuleSet::Entry> ModuleSet::list() const {
  const std::lock_guard lock(mutex_);
  std::vector<Entry> entries;
  for (const auto& [name, entry] : running_) entries.push_back(entry);
  return entries;
}

std::vector<loader::CsiProxyEndpoint> ModuleSet::csi_proxy_endpoints() const {
  const std::lock_guard lock(mutex_);
  std::vector<loader::CsiProxyEndpoint> endpoints;
  for (const auto& [name, entry] : prepared_) {
    const auto& described = entry.facts->description.csi_proxy_endpoints;
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

}  // namespace longshore::embed
