#include "embed/embedded_agent.h"

#include <google/protobuf/stubs/logging.h>

#include <utility>

#include "config/load.h"
#include "config/user_names.h"
#include "core/log_options.h"
#include "embed/waited_call.h"
#include "services/agent_service.h"

namespace longshore::embed {

namespace {

// Nobody can ask an embedded agent about its last calls.
router::RouterOptions router_options(const config::AgentSettings& settings) {
  router::RouterOptions options = core::Core::router_options(settings);
  options.remembers_calls = false;
  return options;
}

}  // namespace

Result<config::Loaded> EmbeddedAgent::load(const Options& options,
                                           core::InspectedModules& inspected) {
  config::LoadOptions load_options;
  load_options.strict = true;  // there is no status that anybody would look at
  if (options.file.empty()) {
    return config::load_text_with_origins(options.text, "toml_text", inspected, load_options);
  }
  load_options.owners.push_back(config::own_user_id());
  return config::load_files_with_origins(options.file, inspected, load_options);
}

Result<std::unique_ptr<EmbeddedAgent>> EmbeddedAgent::create(Options options) {
  // It would write what callers send wrongly to standard error, which is the host program's.
  google::protobuf::SetLogHandler(nullptr);
  auto services = services::common_host_services();
  if (!services) return std::move(services).error();
  auto inspected =
      std::make_unique<core::InspectedModules>(options.module_dirs, *std::move(services));
  Result<config::Loaded> loaded = load(options, *inspected);
  if (!loaded) return std::move(loaded).error();

  observe::LogOptions logging = core::log_options(loaded->configuration.agent.log);
  logging.write = options.log;
  if (!logging.write && logging.file.empty())
    logging.write = [](observe::Level, std::string_view) {};
  Result<std::unique_ptr<observe::Log>> log = observe::Log::open(logging);
  if (!log) return std::move(log).error();

  // Before all else that changes anything, as in longshored.
  Result<files::StateLock> state = files::StateLock::take(loaded->configuration.agent.state_dir);
  if (!state) return std::move(state).error();
  if (!state->warning().empty()) (*log)->warning(state->warning());

  std::unique_ptr<EmbeddedAgent> agent(new EmbeddedAgent(std::move(options), std::move(*loaded),
                                                         *std::move(state), std::move(inspected),
                                                         std::move(*log)));
  agent->core_.host_services.start(agent->core_.timers, *agent->log_, [running = agent.get()] {
    const auto current = running->configuration_.get();
    return std::shared_ptr<const config::Configuration>(current, &current->configuration);
  });
  auto started = agent->configuration_.open_audit_log();
  if (started) started = agent->configuration_.start(&core::RunningConfiguration::commit_modules);
  if (!started) {
    if (!agent->end()) static_cast<void>(agent.release());  // a module's thread may still use it
    return std::move(started).error();
  }
  return agent;
}

EmbeddedAgent::EmbeddedAgent(Options options, config::Loaded loaded, files::StateLock state,
                             std::unique_ptr<core::InspectedModules> inspected,
                             std::unique_ptr<observe::Log> log)
    : options_(std::move(options)),
      state_(std::move(state)),
      log_(std::move(log)),
      caller_(std::make_shared<router::Caller>(
          router::Caller{"embedder", "embedder", nullptr,
                         router::UserIds{config::own_user_id(), config::own_group_ids()}})),
      max_request_bytes_(static_cast<size_t>(loaded.configuration.agent.limits.max_request_bytes)),
      core_(router_options(loaded.configuration.agent), std::move(inspected), *log_),
      configuration_(std::make_shared<const config::Loaded>(std::move(loaded)), core_, *log_) {}

EmbeddedAgent::~EmbeddedAgent() = default;

Result<void> EmbeddedAgent::reload(std::optional<std::string_view> text) {
  const std::lock_guard lock(reload_mutex_);
  Options source;
  if (text) {
    source.text = *text;
  } else if (options_.file.empty()) {
    return Error(StatusCode::kInvalidArgument, "reload")
        .because("the agent was not made from a file")
        .advise("pass the new configuration's text");
  } else {
    source.file = options_.file;
  }
  const auto reloaded = configuration_.reload([&] { return load(source, *core_.inspected); },
                                              &core::RunningConfiguration::commit_modules);
  return reloaded ? Result<void>() : reloaded.error();
}

bool EmbeddedAgent::end() {
  const std::lock_guard lock(reload_mutex_);
  const auto stop_timeout = configuration_.get()->configuration.agent.stop_timeout;
  core_.modules.stop_all(stop_timeout);
  core_.host_services.stop();
  core_.audit.end();
  const bool is_told = event_thread_.finish(stop_timeout);
  return is_told && !core_.modules.has_abandoned();
}

std::shared_ptr<router::Call> EmbeddedAgent::begin(std::string_view method, std::string request,
                                                   CallOptions options,
                                                   std::shared_ptr<router::CallObserver> observer,
                                                   router::CallRunner* runner) {
  router::CallRequest call;
  call.method = method;
  call.request = std::move(request);
  call.caller = caller_;
  call.timeout = options.timeout;
  call.request_id = std::move(options.request_id);
  call.observer = std::move(observer);
  call.runner = runner;
  call.unary_only = runner != nullptr;
  return core_.router.call(std::move(call));
}

Outcome EmbeddedAgent::call(std::string_view method, std::string request, CallOptions options) {
  const auto waited = std::make_shared<WaitedCall>();
  begin(method, std::move(request), std::move(options), waited, waited.get());
  return waited->wait();
}

uint64_t EmbeddedAgent::start_call(std::string_view method, std::string request,
                                   CallOptions options,
                                   std::shared_ptr<router::CallObserver> observer) {
  const auto call =
      begin(method, std::move(request), std::move(options), std::move(observer), nullptr);
  return call && call->state() == LONGSHORE_OK ? call->handle() : 0;
}

std::shared_ptr<router::Call> EmbeddedAgent::find_call(uint64_t handle) {
  auto call = core_.router.calls().find(handle);
  const bool waits = call && &call->caller() == caller_.get() && call->state() == LONGSHORE_OK;
  return waits ? call : nullptr;
}

}  // namespace longshore::embed
