// Runs the built controller in the SDK's fake host, which plays the agent and lets time pass.
#include <chrono>
#include <cstdio>
#include <utility>
#include <vector>

#include "longshore/host/v1.pb.h"
#include "longshore/testing/fake_host.hpp"
#include "longshore/testing/module_file.hpp"

namespace {

using namespace longshore::host;
using namespace std::chrono_literals;
using longshore::testing::FakeHost;

constexpr const char* kWatch = "longshore.host.v1.Agent/WatchModules";

int faults = 0;

void check(bool is_so, const char* what) {
  std::printf("%s: %s\n", is_so ? "ok" : "FAULT", what);
  if (!is_so) ++faults;
}

v1::ModuleEvent event(v1::ModuleEvent::Type type, const char* name, const char* state = "",
                      const char* reason = "") {
  v1::ModuleEvent event;
  event.set_type(type);
  event.mutable_module()->set_name(name);
  event.mutable_module()->set_state(state);
  event.mutable_module()->set_reason(reason);
  return event;
}

// Answers each watch with these; then it ends.
void answer(FakeHost& host, std::vector<v1::ModuleEvent> events) {
  host.answer_stream<v1::WatchModulesRequest>(
      kWatch,
      [events = std::move(events)](const v1::WatchModulesRequest&)
          -> longshore::Result<std::vector<v1::ModuleEvent>> { return events; });
}

void it_logs_what_it_hears(const longshore_module_entry& entry) {
  FakeHost host(entry);
  answer(host, {event(v1::ModuleEvent::TYPE_UPDATED, "disk", "serving"),
                event(v1::ModuleEvent::TYPE_UPDATED, "smb", "failed", "no such file"),
                event(v1::ModuleEvent::TYPE_REMOVED, "disk")});
  check(host.start().ok(), "it starts with the defaults of its settings");
  check(host.logged("disk is serving"), "a module that serves is logged");
  check(host.logged("smb is failed: no such file"), "and why another does not");
  check(host.logged("disk is gone"), "and what is gone");
  check(host.stop().ok(), "it stops");
}

void it_watches_again_when_the_list_is_lost(const longshore_module_entry& entry) {
  FakeHost host(entry);
  answer(host, {});
  check(host.start().ok(), "it starts");
  check(host.degraded() == "the list of modules is lost: it ended", "a lost list degrades it");
  const size_t before = host.invocations_of(kWatch).size();
  host.advance(100ms);
  const size_t soon = host.invocations_of(kWatch).size();
  check(soon > before, "it watches again");
  host.advance(1h);
  check(host.invocations_of(kWatch).size() - soon < 500, "but not without pause");
  answer(host, {event(v1::ModuleEvent::TYPE_UPDATED, "disk", "serving")});
  host.advance(10s);
  check(host.logged("disk is serving"), "and hears again");
  check(host.stop().ok(), "it stops");
}

}  // namespace

int main() {
  const longshore::testing::ModuleFile file(EXAMPLE_MODULE);
  it_logs_what_it_hears(file.entry());
  it_watches_again_when_the_list_is_lost(file.entry());
  return faults == 0 ? 0 : 1;
}
