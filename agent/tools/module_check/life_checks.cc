// Instances that come and go.
#include "tools/module_check/bad_settings.h"
#include "tools/module_check/checks.h"
#include "tools/module_check/request_maker.h"
#include "tools/module_check/watched_entry.h"

namespace longshore::module_check {
namespace {

// A call that asks for nothing, so that its life has one.
void call_with_garbage(TrialInstance& instance, const Trial& trial) {
  for (const auto* method : methods_to_call(trial.subject, false)) {
    instance.call(method->full_name, no_messages().front());
    return;
  }
}

void live(Trial& trial, bool with_call, const longshore_module_entry* entry = nullptr) {
  TrialInstance instance(trial, entry);
  if (instance.start()) {
    if (with_call) call_with_garbage(instance, trial);
    instance.stop();
  }
  instance.end();
}

}  // namespace

void check_life(Trial& trial) { live(trial, /*with_call=*/false); }

void check_never_started(Trial& trial) { TrialInstance(trial).end(); }

void check_two_instances(Trial& trial) {
  if (trial.subject.description.may_overlap) {
    TrialInstance first(trial);
    TrialInstance second(trial);
    if (!first.start() || !second.start()) return;
    first.stop();
    first.end();
    call_with_garbage(second, trial);
    second.stop();
    second.end();
  }
  for (int i = 0; i < 3 && !trial.findings.has_failed(); ++i) live(trial, true);
}

void check_older_host(Trial& trial) {
  const longshore_module_entry entry = watch(load(trial), HostAge::kOlder);
  live(trial, /*with_call=*/true, &entry);
}

void check_newer_host(Trial& trial) {
  const longshore_module_entry entry = watch(load(trial), HostAge::kNewer);
  live(trial, /*with_call=*/true, &entry);
}

void check_bad_settings(Trial& trial) {
  for (const BadSettings& bad : bad_settings(trial.subject, trial.random)) {
    TrialInstance instance(trial);
    trial.steps.begin(std::string("starting with ") + bad.what);
    const bool started = instance.start_bytes(bad.bytes).ok();
    if (started && bad.is_garbage && !trial.subject.description.options.empty()) {
      trial.findings.warn(std::string("it starts with ") + bad.what,
                          "answer INVALID_ARGUMENT when the settings cannot be read");
    }
    instance.end();
  }
}

void check_handover(Trial& trial) {
  std::string handover;
  {
    TrialInstance instance(trial);
    if (!instance.start()) return;
    handover = instance.stop();
    instance.end();
  }
  {
    TrialInstance instance(trial);
    if (!instance.start(handover)) return;
    instance.end();
  }
  for (const std::string& garbage :
       {trial.random.bytes(100), handover + "x", std::string("\0", 1)}) {
    TrialInstance instance(trial);
    trial.steps.begin("starting with a handover that is garbage");
    static_cast<void>(instance.try_start(garbage));  // an error is as good as a start
    instance.end();
  }
}

}  // namespace longshore::module_check
