// The tests of longshore-module-check, in the order in which they run.
#pragma once

#include <span>

#include "tools/module_check/trial_instance.h"

namespace longshore::module_check {

// What must have gone well for a test to tell anything.
enum class Needs { kNothing, kFile, kService };

struct Check {
  const char* name;
  const char* what;  // one line, for --list
  Needs needs;
  void (*run)(Trial& trial);
};

std::span<const Check> all_checks();

// Runs it in this process, which it may end.
Report run_check_here(const Check& check, const Subject& subject, Steps& steps);

// In file_checks.cc: what is known without an instance.
void check_file(Trial& trial);
void check_description(Trial& trial);
void check_load(Trial& trial);

// In life_checks.cc: instances that come and go.
void check_life(Trial& trial);
void check_never_started(Trial& trial);
void check_two_instances(Trial& trial);
void check_older_host(Trial& trial);
void check_newer_host(Trial& trial);
void check_bad_settings(Trial& trial);
void check_handover(Trial& trial);

// In call_checks.cc: what is answered to calls.
void check_unknown_method(Trial& trial);
void check_garbage(Trial& trial);
void check_requests(Trial& trial);
void check_cancel(Trial& trial);
void check_exactly_once(Trial& trial);
void check_storm(Trial& trial);

// In trace_checks.cc: what is left behind.
void check_thread_tags(Trial& trial);
void check_memory(Trial& trial);
void check_descriptors(Trial& trial);
void check_threads(Trial& trial);
void check_surroundings(Trial& trial);

}  // namespace longshore::module_check
