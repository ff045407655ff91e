#include "embed/module_set.h"

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>

#include "embed/waiting_room.h"
#include "router/blocked_signals.h"

namespace longshore::embed {
namespace {

using loader::Instance;
using router::Clock;

// With older instances that finish their calls, before one more is begun.
constexpr std::chrono::seconds kPatience{30};

// Whether an instance may go on: who may call it is the routes' affair.
bool runs_alike(config::ModuleSettings one, const config::ModuleSettings& other) {
  one.permissions = other.permissions;
  return one == other;
}

bool is_quarantined(const loader::ModuleCode* code) {
  const auto process = code->process();
  return process && process->state == loader::ModuleProcess::State::kQuarantined;
}

}  // namespace

ModuleSet::ModuleSet(InspectedModules& modules, router::Router& router,
                     loader::CatalogHolder& catalog, observe::CallMetrics& call_metrics,
                     observe::Log& log)
    : modules_(modules),
      log_(log),
      starter_(router, log),
      routes_(router, catalog, call_metrics, log),
      retired_([this](const std::shared_ptr<Instance>& instance, Clock::time_point latest) {
        stop(instance, std::min(latest, Clock::now() + stop_timeout_.load()));
      }) {}

Result<ModuleSet::Entry> ModuleSet::prepare_entry(const config::ModuleSettings& settings,
                                                  const config::AgentSettings& agent,
                                                  loader::Inspection inspection) {
  const auto found = running_.find(settings.name);
  const bool runs = found != running_.end() && found->second.serves();
  if (runs && !is_quarantined(found->second.code.get()) &&
      runs_alike(found->second.settings, settings) &&
      found->second.facts->sha256 == inspection.facts->sha256) {
    Entry kept = found->second;
    kept.settings = settings;
    kept.facts = inspection.facts;  // somebody may have signed it meanwhile
    return kept;
  }
  if (!retired_.wait_for_room(settings.name, Clock::now() + kPatience)) {
    return Error(StatusCode::kResourceExhausted, "exchange the module", settings.name)
        .because("several older instances of it still have calls to finish")
        .advise("try again when these calls are over");
  }
  Entry entry = starter_.load(std::move(inspection), settings, agent);
  entry.upgrades = runs ? found->second.upgrades + 1 : 0;
  if (!entry.code) return entry;
  if (!runs || entry.facts->description.may_overlap) {
    starter_.bring_up(entry, {});
  } else {
    starter_.wait_loaded();
  }
  return entry;
}

void ModuleSet::read_limits(const config::AgentSettings& agent) {
  stop_timeout_ = agent.stop_timeout;
}

Result<void> ModuleSet::prepare(const config::Configuration& configuration, OnFailure on_failure) {
  read_limits(configuration.agent);
  Entries prepared;
  Result<void> outcome;
  for (const auto& settings : configuration.modules) {
    if (!settings.enabled) continue;
    Result<loader::Inspection> inspection = modules_.take(settings, configuration.agent);
    if (!inspection) {
      outcome = std::move(inspection).error();
      break;
    }
    Result<Entry> entry = prepare_entry(settings, configuration.agent, std::move(*inspection));
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
  return finish_prepare(std::move(prepared), std::move(outcome));
}

Result<void> ModuleSet::prepare_upgrade(const config::ModuleSettings& settings,
                                        const config::AgentSettings& agent) {
  read_limits(agent);
  Result<loader::Inspection> inspection = modules_.take(settings, agent);
  if (!inspection) return std::move(inspection).error();
  if (CrashMarkers* markers = starter_.crash_markers()) {
    markers->release(inspection->facts->sha256);
  }
  Result<Entry> entry = prepare_entry(settings, agent, std::move(*inspection));
  if (!entry) return std::move(entry).error();
  Result<void> outcome;
  if (!entry->failure.empty()) {
    outcome = Error::of_text(StatusCode::kFailedPrecondition, entry->failure);
  }
  Entries prepared = running_;
  prepared[settings.name] = std::move(*entry);
  return finish_prepare(std::move(prepared), std::move(outcome));
}

Result<void> ModuleSet::finish_prepare(Entries prepared, Result<void> outcome) {
  {
    const std::lock_guard lock(mutex_);
    prepared_ = std::move(prepared);
  }
  if (CrashMarkers* markers = starter_.crash_markers()) markers->settle();
  if (!outcome) roll_back();
  return outcome;
}

bool ModuleSet::is_kept(const std::string& name, const Entry& entry, const Entries& in) {
  const auto other = in.find(name);
  return other != in.end() && other->second.instance == entry.instance;
}

void ModuleSet::roll_back() {
  for (auto& [name, entry] : prepared_) {
    if (entry.instance && !is_kept(name, entry, running_)) stop(entry.instance);
  }
  const std::lock_guard lock(mutex_);
  prepared_.clear();
}

ModuleSet::Committed ModuleSet::commit() {
  Committed committed;
  Entries now = prepared_;
  std::vector<std::string> to_exchange;
  for (auto& [name, entry] : now) {
    const auto running = running_.find(name);
    if (running == running_.end() || entry.instance || !entry.failure.empty()) continue;
    to_exchange.push_back(name);
    entry = running->second;
  }
  routes_.publish(now);
  for (const std::string& name : to_exchange) exchange(name, now, committed);
  if (CrashMarkers* markers = starter_.crash_markers()) markers->settle();
  Entries old_ones;
  {
    const std::lock_guard lock(mutex_);
    old_ones = std::exchange(running_, now);
    prepared_.clear();
  }
  for (auto& [name, entry] : old_ones) {
    const bool ended =
        !entry.instance || entry.instance->life().state() == Instance::State::kStopped;
    if (!ended && !is_kept(name, entry, now)) retired_.add(std::move(entry.instance));
  }
  return committed;
}

void ModuleSet::exchange(const std::string& name, Entries& now, Committed& committed) {
  const Entry old_entry = now.at(name);
  const auto room =
      std::make_shared<WaitingRoom>(name, static_cast<size_t>(old_entry.settings.max_queued_calls));
  routes_.publish(now, {{name, room}});
  Entry next = prepared_.at(name);
  if (old_entry.instance->drain(Clock::now() + stop_timeout_.load())) {
    next = start_instead(old_entry, std::move(next), committed);
  } else {
    old_entry.instance->resume();
    next = old_entry;
    committed.fail("the module " + name +
                   " is not exchanged: calls of it have not ended within stop_timeout; try again "
                   "when they have");
  }
  room->open(target_of(next), [&] {
    now[name] = next;
    routes_.publish(now);
  });
}

ModuleSet::Entry ModuleSet::start_instead(const Entry& old_entry, Entry next,
                                          Committed& committed) {
  const std::string& name = old_entry.settings.name;
  const std::string left = stop(old_entry.instance);
  if (starter_.bring_up(next, left)) return next;
  committed.fail("the module " + name +
                 " did not start and is put back as it was: " + next.failure);
  if (next.instance) stop(next.instance);
  Entry put_back = old_entry;
  put_back.instance = nullptr;
  starter_.begin_anew(put_back);
  if (!starter_.bring_up(put_back, left)) {
    committed.fail("the module " + name +
                   " did not start as it was before either: " + put_back.failure);
  }
  return put_back;
}

std::string ModuleSet::stop(const std::shared_ptr<Instance>& instance, Clock::time_point deadline) {
  Result<std::string> handover = instance->stop(deadline);
  if (handover) return std::move(*handover);
  if (instance->is_abandoned()) has_abandoned_ = true;
  log_.warning(handover.error().message());
  return {};
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
  retired_.end(deadline);
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

}  // namespace longshore::embed
