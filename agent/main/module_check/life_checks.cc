// Instances that come and go.
#include "main/module_check/checks.h"
#include "main/module_check/request_maker.h"
#include "main/module_check/watched_entry.h"

namespace longshore::module_check {
namespace {

using module::v1::OptionType;
using module::v1::Settings;
using module::v1::Value;

// A call that asks for nothing, so that a life has one.
void call_with_garbage(Life& life, const Trial& trial) {
  for (const auto* method : methods_to_call(trial.subject, false)) {
    life.call(method->full_name, no_messages().front());
    return;
  }
}

void live(Trial& trial, bool with_call, const longshore_module_entry* entry = nullptr) {
  Life life(trial, entry);
  if (life.start()) {
    if (with_call) call_with_garbage(life, trial);
    life.stop();
  }
  life.end();
}

// A value that is of another type than the option's.
Value wrong_value(OptionType type) {
  Value value;
  if (type == module::v1::OPTION_TYPE_STRING) {
    value.set_int_value(-7);
  } else {
    value.set_string_value("not what it should be");
  }
  return value;
}

struct BadSettings {
  const char* what;
  std::string bytes;
  bool is_garbage;
};

std::vector<BadSettings> bad_settings(const Subject& subject, Random& random) {
  Settings wrong;
  for (const auto& option : subject.description.options) {
    (*wrong.mutable_values())[option.name()] = wrong_value(option.type());
  }
  wrong.set_instance_name("check");
  const std::string whole = wrong.SerializeAsString();
  return {{"bytes that are no message", std::string("\x0a\xff", 2) + random.bytes(40), true},
          {"a message that was cut short", whole.substr(0, whole.size() - 1), true},
          {"no value for any option", {}, false},
          {"values of wrong types", whole, false}};
}

}  // namespace

void check_life(Trial& trial) { live(trial, /*with_call=*/false); }

void check_never_started(Trial& trial) { Life(trial).end(); }

void check_two_instances(Trial& trial) {
  if (trial.subject.description.may_overlap) {
    Life first(trial);
    Life second(trial);
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
    Life life(trial);
    trial.steps.begin(std::string("starting with ") + bad.what);
    const bool started = life.start_bytes(bad.bytes).ok();
    if (started && bad.is_garbage && !trial.subject.description.options.empty()) {
      trial.findings.warn(std::string("it starts with ") + bad.what,
                          "answer INVALID_ARGUMENT when the settings cannot be read");
    }
    life.end();
  }
}

void check_handover(Trial& trial) {
  std::string handover;
  {
    Life life(trial);
    if (!life.start()) return;
    handover = life.stop();
    life.end();
  }
  {
    Life life(trial);
    if (!life.start(handover)) return;
    life.end();
  }
  for (const std::string& garbage :
       {trial.random.bytes(100), handover + "x", std::string("\0", 1)}) {
    Life life(trial);
    trial.steps.begin("starting with a handover that is garbage");
    static_cast<void>(life.try_start(garbage));  // an error is as good as a start
    life.end();
  }
}

}  // namespace longshore::module_check
