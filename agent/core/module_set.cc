#include "core/module_set.h"

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>

#include "router/blocked_signals.h"
#include "router/configured_permissions.h"

namespace longshore::core {
namespace {

using loader::Instance;
using router::Clock;

// With older instances that finish their calls, when nobody has asked for the change. New calls may
// wait for so long.
constexpr std::chrono::seconds kPatienceOfRetry{1};

// Whether an instance may go on with these settings, whatever its routes have.
bool runs_alike(config::ModuleSettings one, const config::ModuleSettings& other) {
  static_cast<config::RouteSettings&>(one) = other;
  return one == other;
}

bool is_quarantined(const loader::ModuleCode* code) {
  const auto process = code->process();
  return process && process->state == loader::ModuleProcess::State::kQuarantined;
}

}  // namespace

ModuleSet::ModuleSet(InspectedModules& modules, const services::HostServices& host_services,
                     router::Router& router, loader::CatalogHolder& catalog,
                     observe::CallMetrics& call_metrics, observe::Log& log)
    : modules_(modules),
      host_services_(host_services),
      log_(log),
      starter_(router, log),
      routes_(host_services, router, catalog, call_metrics),
      controllers_(host_services, router.timers(), log),
      draining_([this](const std::shared_ptr<Instance>& instance, Clock::time_point latest) {
        stop(instance, std::min(latest, Clock::now() + stop_timeout_.load()));
      }) {
  starter_.set_on_created([this](const Entry& entry) { on_created(entry); });
}

Result<ModuleSet::Entry> ModuleSet::prepare_entry(const config::ModuleSettings& settings,
                                                  const config::AgentSettings& agent,
                                                  Result<loader::Inspection> inspection) {
  // Only here: who holds up a switch of routes for a name service holds up calls.
  auto permissions =
      router::permissions_of(settings.table() + ".permissions", settings.permissions);
  if (!permissions) return std::move(permissions).error();
  if (!inspection) {
    return prepare_without_file(settings, *std::move(permissions), inspection.error());
  }
  const auto found = running_.find(settings.name);
  const bool runs = found != running_.end() && found->second.serves();
  if (runs && !is_quarantined(found->second.code.get()) &&
      runs_alike(found->second.settings, settings) &&
      found->second.facts->sha256 == inspection->facts->sha256) {
    Entry kept = found->second;
    kept.settings = settings;
    kept.permissions = *std::move(permissions);
    kept.file_failure.clear();
    kept.facts = inspection->facts;  // somebody may have signed it meanwhile
    return kept;
  }
  const bool may_overlap = inspection->facts->description.may_overlap;
  if (!draining_.wait_for_room(settings.name, may_overlap, Clock::now() + patience_)) {
    return Error(StatusCode::kResourceExhausted, "replace the module", settings.name)
        .because(may_overlap ? "several older instances of it still have calls to finish"
                             : "an older instance of it still has calls to finish")
        .advise("try again when these calls are over");
  }
  Entry entry = starter_.load(std::move(*inspection), settings, agent);
  entry.permissions = *std::move(permissions);
  if (found != running_.end()) entry.upgrades = found->second.upgrades + (runs ? 1 : 0);
  if (!entry.code) return entry;
  const bool side_by_side = runs && may_overlap && found->second.facts->description.may_overlap;
  if (!runs || side_by_side) {
    bring_up(entry, {});
  } else {
    starter_.wait_loaded(entry);
  }
  return entry;
}

ModuleSet::Entry ModuleSet::prepare_without_file(
    const config::ModuleSettings& settings, std::shared_ptr<const router::Permissions> permissions,
    const Error& why) {
  const auto found = running_.find(settings.name);
  const Entry* const before = found == running_.end() ? nullptr : &found->second;
  const bool goes_on = before && (before->serves() || before->waits());
  const bool is_news = !before || before->file_failure != why.message();
  Entry entry;
  if (goes_on) {
    entry = *before;
    entry.file_failure = why.message();
  } else if (is_news) {
    entry = starter_.without_file(settings, before ? before->facts : nullptr, why);
  } else {
    entry = *before;
    entry.settings = settings;
  }
  entry.permissions = std::move(permissions);
  entry.settings.permissions = settings.permissions;
  entry.settings.deny_methods = settings.deny_methods;
  if (goes_on && is_news) {
    log_.warning("the module goes on as it is: its file cannot be loaded",
                 {{"module", settings.name}, {"reason", entry.file_failure}});
  }
  return entry;
}

void ModuleSet::read_limits(const config::AgentSettings& agent, std::chrono::nanoseconds patience) {
  stop_timeout_ = agent.stop_timeout;
  patience_ = patience;
}

Result<std::list<ModuleSet::Wanted>> ModuleSet::wanted_by(
    const config::Configuration& configuration) {
  std::list<Wanted> suspected;
  std::list<Wanted> others;
  for (const auto& settings : configuration.modules) {
    if (!settings.enabled) continue;
    Result<loader::Inspection> inspection = modules_.take(settings, configuration.agent);
    if (!inspection && configuration.agent.strict) return std::move(inspection).error();
    CrashMarkers* const markers = starter_.crash_markers();
    const bool is_suspected =
        inspection && markers && markers->is_suspected(inspection->facts->sha256);
    (is_suspected ? suspected : others).push_back({&settings, std::move(inspection)});
  }
  suspected.splice(suspected.end(), others);
  return suspected;
}

Result<PreparedChange> ModuleSet::prepare(const config::Configuration& configuration,
                                          OnFailure on_failure) {
  read_limits(configuration.agent, configuration.agent.stop_timeout);
  // What the agent itself serves may be called from a module's first `start` on.
  if (!std::exchange(has_routes_, true)) routes_.publish(running_);
  Result<std::list<Wanted>> wanted = wanted_by(configuration);
  if (!wanted) return std::move(wanted).error();
  Entries prepared;
  Result<void> outcome;
  for (Wanted& each : *wanted) {
    const config::ModuleSettings& settings = *each.settings;
    const bool is_readable = each.inspection.ok();
    Result<Entry> entry = prepare_entry(settings, configuration.agent, std::move(each.inspection));
    if (!entry) {
      outcome = std::move(entry).error();
      break;
    }
    const std::string failure = entry->failure;
    prepared.emplace(settings.name, std::move(*entry));
    // One that failed before is tried again, but does not hold up what else has changed.
    const auto before = running_.find(settings.name);
    const bool served = before == running_.end() || before->second.serves();
    if (!failure.empty() && is_readable && served && on_failure == OnFailure::kGiveUp) {
      outcome = Error::of_text(StatusCode::kFailedPrecondition, failure);
      break;
    }
  }
  return finish_prepare(std::move(prepared), std::move(outcome));
}

Result<std::optional<PreparedChange>> ModuleSet::prepare_upgrade(
    const config::ModuleSettings& settings, const config::AgentSettings& agent) {
  read_limits(agent, agent.stop_timeout);
  Result<loader::Inspection> inspection = modules_.take(settings, agent);
  if (!inspection) return std::move(inspection).error();
  if (CrashMarkers* markers = starter_.crash_markers()) {
    markers->release(inspection->facts->sha256);
  }
  return prepare_one(settings, agent, std::move(inspection), true);
}

Result<std::optional<PreparedChange>> ModuleSet::prepare_retry(
    const config::ModuleSettings& settings, const config::AgentSettings& agent) {
  read_limits(agent, std::min<std::chrono::nanoseconds>(agent.stop_timeout, kPatienceOfRetry));
  Result<loader::Inspection> inspection = modules_.take(settings, agent);
  const auto before = running_.find(settings.name);
  if (before == running_.end()) return std::optional<PreparedChange>();
  const Entry& entry = before->second;
  const bool is_known = inspection ? entry.file_failure.empty() &&
                                         entry.facts->sha256 == inspection->facts->sha256 &&
                                         runs_alike(entry.settings, settings)
                                   : entry.file_failure == inspection.error().message();
  if (is_known) return std::optional<PreparedChange>();
  return prepare_one(settings, agent, std::move(inspection), entry.serves());
}

Result<std::optional<PreparedChange>> ModuleSet::prepare_one(const config::ModuleSettings& settings,
                                                             const config::AgentSettings& agent,
                                                             Result<loader::Inspection> inspection,
                                                             bool must_start) {
  Result<Entry> entry = prepare_entry(settings, agent, std::move(inspection));
  if (!entry) return std::move(entry).error();
  Result<void> outcome;
  if (must_start && !entry->failure.empty()) {
    outcome = Error::of_text(StatusCode::kFailedPrecondition, entry->failure);
  }
  Entries prepared = running_;
  prepared[settings.name] = std::move(*entry);
  auto change = finish_prepare(std::move(prepared), std::move(outcome));
  if (!change) return std::move(change).error();
  return std::optional<PreparedChange>(*std::move(change));
}

Result<PreparedChange> ModuleSet::finish_prepare(Entries prepared, Result<void> outcome) {
  {
    const std::lock_guard lock(mutex_);
    prepared_ = std::move(prepared);
  }
  PreparedChange change(*this);
  if (!outcome) return std::move(outcome).error();
  return change;
}

bool ModuleSet::is_kept(const std::string& name, const Entry& entry, const Entries& in) {
  const auto other = in.find(name);
  return other != in.end() && other->second.instance == entry.instance;
}

void ModuleSet::roll_back() {
  for (auto& [name, entry] : prepared_) {
    if (entry.instance && !is_kept(name, entry, running_)) stop(entry.instance);
  }
  {
    const std::lock_guard lock(mutex_);
    prepared_.clear();
  }
  // The services take the settings that they were asked with last for those that count: first those
  // of what runs, then what nobody has asked for is let go.
  for (const auto& [name, entry] : running_) {
    if (entry.is_controller() && entry.code) {
      static_cast<void>(host_services_.run_conditions(entry.settings));
    }
  }
  tell_services();
}

Secret ModuleSet::stop(const std::shared_ptr<Instance>& instance, Clock::time_point deadline,
                       Instance::StuckCalls stuck) {
  const Result<Secret> stopped = instance->stop(deadline, stuck);
  if (!stopped) log_.warning(stopped.error().message());
  if (instance->is_abandoned()) starter_.note_abandoned(instance->options().name);
  return instance->handover();
}

void ModuleSet::stop_all(std::chrono::nanoseconds timeout) {
  const auto deadline = Clock::now() + timeout;
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
  draining_.end(deadline);
  for (auto& thread : threads) thread.join();
}

void ModuleSet::tell_services() const {
  services::ModuleStates states;
  for (const Entry& entry : list()) {
    states.push_back(
        {.name = entry.settings.name,
         .is_controller = entry.is_controller(),
         .state = entry.state(),
         .reason = entry.why_not(),
         .role_file = entry.facts->description.role_file,
         .has_failed = !entry.failure.empty() && !starter_.has_abandoned(entry.settings.name)});
  }
  host_services_.modules_changed(states);
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

}  // namespace longshore::core
