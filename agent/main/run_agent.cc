#include "main/run_agent.h"

#include <google/protobuf/stubs/logging.h>

#include <csignal>
#include <iostream>
#include <string_view>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

#include "core/log_options.h"
#include "files/state_lock.h"
#include "main/exit_codes.h"
#include "main/record_crashes.h"
#include "observe/log.h"

namespace longshore {
namespace {

// What an end by exit() would do in a build with sanitizers.
void check_for_leaks() {
#if defined(__SANITIZE_ADDRESS__)
  __lsan_do_leak_check();
#endif
}

void prepare_signals() {
#if !defined(_WIN32)
  std::signal(SIGPIPE, SIG_IGN);
  // Until it is waited for, below: a reload before the first configuration is applied is no reason
  // to die, in the middle of a module's start at that.
  std::signal(SIGHUP, SIG_IGN);
  // Who started us may have it ignored, and then nobody could wait for modules' processes.
  std::signal(SIGCHLD, SIG_DFL);
#endif
}

}  // namespace

int report_failure(const std::string& program, ProcessControl& control, int exit_code,
                   const Error& error) {
  control.fail(error.message());
  std::cerr << program << ": " << error.message() << '\n';
  return exit_code;
}

int run_agent(const std::string& program, Agent::Options options, config::Loaded loaded,
              std::unique_ptr<core::InspectedModules> modules, const DescribedServices& services,
              ProcessControl& control) {
  const config::AgentSettings& settings = loaded.configuration.agent;
  Result<std::unique_ptr<observe::Log>> log = observe::Log::open(core::log_options(settings.log));
  if (!log) return report_failure(program, control, kConfigurationError, log.error());
  // Before all else that changes anything; kept to the end.
  const auto state = files::StateLock::take(settings.state_dir);
  if (!state) return report_failure(program, control, kStartError, state.error());
  if (!state->warning().empty()) (*log)->warning(state->warning());
  record_crashes(settings, **log);
  prepare_signals();
  // It would write what clients send wrongly to standard error, past the log and its limits.
  google::protobuf::SetLogHandler(nullptr);
  options.notify = [&control](std::string_view what) { control.notify(what); };
  auto agent = std::make_unique<Agent>(std::move(options), std::move(loaded), std::move(modules),
                                       services, *std::move(log));
  control.serve(agent.get());
  const auto started = agent->start();
  const auto refused = started ? agent->refused_settings() : std::nullopt;
  if (refused) agent->request_end("a controller's settings are wrong");
  if (started) agent->run();
  control.serve(nullptr);
  if (agent->may_be_destroyed()) {
    agent.reset();
    check_for_leaks();
  } else {
    static_cast<void>(agent.release());  // the process ends without it
  }
  if (refused) return report_failure(program, control, kConfigurationError, *refused);
  return started ? 0 : report_failure(program, control, kStartError, started.error());
}

}  // namespace longshore
