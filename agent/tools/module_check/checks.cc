#include "tools/module_check/checks.h"

#include <array>

namespace longshore::module_check {
namespace {

constexpr std::array kChecks = {
    Check{"file", "exports, imports and ABI version, as the agent reads them", Needs::kNothing,
          &check_file},
    Check{"description", "services, descriptors, annotations and options", Needs::kNothing,
          &check_description},
    Check{"load", "loading the file resolves all symbols and starts nothing", Needs::kFile,
          &check_load},
    Check{"life", "create, start, stop, destroy", Needs::kFile, &check_life},
    Check{"never-started", "an instance is destroyed that was never started", Needs::kFile,
          &check_never_started},
    Check{"two-instances", "two at once, where the description allows it, and one after the other",
          Needs::kService, &check_two_instances},
    Check{"older-host", "a host table no longer than the module needs", Needs::kService,
          &check_older_host},
    Check{"newer-host", "a host table longer than the module knows", Needs::kService,
          &check_newer_host},
    Check{"bad-settings", "settings that are garbage, missing or of wrong types, then destroy",
          Needs::kService, &check_bad_settings},
    Check{"handover", "what stop leaves is taken by start, garbage is outlived", Needs::kService,
          &check_handover},
    Check{"unknown-method", "methods that are not described", Needs::kService,
          &check_unknown_method},
    Check{"garbage", "requests that are no messages, for every method", Needs::kService,
          &check_garbage},
    Check{"requests", "random and cut requests; answers are messages of their types",
          Needs::kService, &check_requests},
    Check{"cancel", "calls end soon after they are cancelled", Needs::kService, &check_cancel},
    Check{"exactly-once", "each call is finished once, while cancellation races with it",
          Needs::kService, &check_exactly_once},
    Check{"storm", "mixed calls on many threads at once", Needs::kService, &check_storm},
    Check{"thread-tags", "what must not block does not, and nothing calls after destroy",
          Needs::kService, &check_thread_tags},
    Check{"memory", "no memory is left by instance after instance", Needs::kService, &check_memory},
    Check{"descriptors", "no descriptor is left open", Needs::kService, &check_descriptors},
    Check{"threads", "no thread is left running", Needs::kService, &check_threads},
    Check{"surroundings", "folder, signals, environment and open files stay as they are",
          Needs::kService, &check_surroundings},
};

}  // namespace

std::span<const Check> all_checks() { return kChecks; }

Report run_check_here(const Check& check, const Subject& subject, Steps& steps) {
  Trial trial{subject, steps, Random(subject.options.seed, check.name), {}};
  check.run(trial);
  return trial.findings.report();
}

}  // namespace longshore::module_check
