#include "core/module_starter.h"

#include <utility>

#include "core/start_values.h"

namespace longshore::core {

using loader::Instance;
using loader::LifecycleState;

ModuleEntry ModuleStarter::without_file(const config::ModuleSettings& settings,
                                        std::shared_ptr<const loader::ModuleFacts> known,
                                        const Error& why) const {
  ModuleEntry entry;
  entry.settings = settings;
  entry.facts = std::move(known);
  if (!entry.facts) {
    auto facts = std::make_shared<loader::ModuleFacts>();
    facts->path = settings.library;
    entry.facts = std::move(facts);
  }
  entry.lifecycle = std::make_shared<loader::Lifecycle>(settings.name, log_);
  entry.file_failure = why.message();
  fail(entry, why);
  return entry;
}

ModuleEntry ModuleStarter::load(loader::Inspection inspection,
                                const config::ModuleSettings& settings,
                                const config::AgentSettings& agent) {
  state_dir_ = agent.state_dir;
  stop_timeout_ = agent.stop_timeout;
  ModuleEntry entry;
  entry.settings = settings;
  entry.facts = inspection.facts;
  entry.lifecycle = std::make_shared<loader::Lifecycle>(settings.name, log_, inspection.found);
  entry.lifecycle->reach(LifecycleState::kInspected, inspection.inspected);
  if (safe_mode_) {
    entry.failure = "not loaded: safe mode";
    return entry;
  }
  if (auto marked = mark(entry); !marked) {
    fail(entry, marked.error(), LifecycleState::kQuarantined);
    return entry;
  }
  // Before any code of the module runs: should it take the process with it, the log tells which.
  log_.info("starting module", {{"module", settings.name}, {"file", entry.facts->path}});
  if (auto loaded = load_code(std::move(inspection), agent, entry); !loaded) {
    came_back(entry);
    fail(entry, loaded.error());
  } else {
    entry.lifecycle->reach(LifecycleState::kLoaded);
  }
  return entry;
}

Result<void> ModuleStarter::load_code(loader::Inspection inspection,
                                      const config::AgentSettings& agent, ModuleEntry& entry) {
  const config::ModuleSettings& settings = entry.settings;
  if (settings.isolation != "process") {
    auto image =
        loader::load_module(std::move(inspection), static_cast<size_t>(agent.limits.max_images),
                            settings.start_timeout);
    if (!image) return noted(entry, std::move(image).error());
    entry.code = std::move(*image);
    return {};
  }
  if (!make_process_code_) {
    return Error(StatusCode::kFailedPrecondition, "run the module", settings.name)
        .because(
            "it is to have a process of its own, and the agent inside another program starts none")
        .advise("set isolation = \"in-process\", or let longshored run it");
  }
  auto code = make_process_code_(std::move(inspection), settings, agent);
  if (!code) return std::move(code).error();
  entry.code = std::move(*code);
  return {};
}

void ModuleStarter::wait_loaded(const ModuleEntry& entry) {
  if (needs_mark(entry)) markers_->pause(entry.facts->sha256);
}

bool ModuleStarter::bring_up(ModuleEntry& entry, std::string_view handover) {
  const auto up = create_and_start(entry, handover);
  came_back(entry);
  if (up) {
    log_.info("module serves", {{"module", entry.settings.name},
                                {"library", entry.facts->name},
                                {"version", entry.facts->version}});
  } else {
    fail(entry, up.error());
  }
  return up.ok();
}

Result<void> ModuleStarter::create_and_start(ModuleEntry& entry, std::string_view handover) {
  const config::ModuleSettings& settings = entry.settings;
  if (auto marked = mark(entry); !marked) return marked;
  const auto message = settings_message(settings, state_dir_, settings_are_flags_);
  if (!message) return message.error();
  loader::InstanceOptions options = instance_options(settings);
  options.lifecycle = entry.lifecycle;
  auto instance = Instance::create(entry.code, std::move(options), router_, log_);
  if (!instance) return noted(entry, std::move(instance).error());
  entry.instance = std::move(*instance);
  if (on_created_) on_created_(entry);
  auto started = entry.instance->start(*message, handover);
  if (!started) end_failed(entry);
  return started;
}

// Its threads would go on beside those of the next try.
void ModuleStarter::end_failed(ModuleEntry& entry) {
  const auto ended = entry.instance->stop(router::Clock::now() + stop_timeout_);
  if (!ended) log_.warning(ended.error().message());
  if (entry.instance->is_abandoned()) hangs(entry);
  entry.instance.reset();
}

void ModuleStarter::begin_anew(ModuleEntry& entry) const {
  entry.failure.clear();
  entry.lifecycle = std::make_shared<loader::Lifecycle>(entry.settings.name, log_);
  entry.lifecycle->reach(LifecycleState::kInspected);
  entry.lifecycle->reach(LifecycleState::kLoaded);
}

Error ModuleStarter::noted(const ModuleEntry& entry, Error error) {
  if (error.code() == StatusCode::kDeadlineExceeded) hangs(entry);
  return error;
}

// Code that has not come back may still come back, use what instances use, and crash. So its mark
// stays until the agent ends in order.
void ModuleStarter::hangs(const ModuleEntry& entry) {
  note_abandoned(entry.settings.name);
  if (needs_mark(entry)) started_.insert(entry.facts->sha256);
}

bool ModuleStarter::needs_mark(const ModuleEntry& entry) const {
  return markers_ && entry.settings.isolation != "process" &&
         !started_.contains(entry.facts->sha256);
}

Result<void> ModuleStarter::mark(const ModuleEntry& entry) {
  if (!needs_mark(entry)) return {};
  return markers_->begin(entry.settings.name, *entry.facts);
}

void ModuleStarter::came_back(const ModuleEntry& entry) {
  if (!needs_mark(entry)) return;
  markers_->end(entry.facts->sha256);
  started_.insert(entry.facts->sha256);
}

void ModuleStarter::note_abandoned(const std::string& module) {
  const std::lock_guard lock(mutex_);
  ++abandoned_[module];
}

bool ModuleStarter::has_abandoned() const {
  const std::lock_guard lock(mutex_);
  return !abandoned_.empty();
}

int ModuleStarter::abandoned(const std::string& module) const {
  const std::lock_guard lock(mutex_);
  const auto found = abandoned_.find(module);
  return found == abandoned_.end() ? 0 : found->second;
}

void ModuleStarter::fail(ModuleEntry& entry, const Error& error, LifecycleState state) const {
  entry.failure = error.message();
  entry.failure_code = error.code();
  entry.lifecycle->fail(entry.failure, state);
  log_.error(entry.failure, {{"module", entry.settings.name}});
}

}  // namespace longshore::core
