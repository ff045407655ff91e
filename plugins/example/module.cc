// A controller to start from: it serves nothing, and logs what becomes of the agent's modules.
#include "longshore/module.hpp"

#include <map>
#include <optional>
#include <string>

#include "longshore/host/v1.pb.h"
#include "longshore/watch.hpp"
#include "module_description.h"

namespace longshore::example {

class ExampleModule final : public Module {
 public:
  static constexpr uint16_t kAbiMinorNeeded = 2;  // timers

  Result<void> start(const Settings& settings, std::string_view) override {
    tells_reason_ = settings.get_bool("reasons");
    watch_.emplace(host(), "the list of modules",
                   [this](std::string_view reason) { set_degraded(reason); });
    watch_->start<host::v1::ModuleEvent>(
        "longshore.host.v1.Agent/WatchModules", host::v1::WatchModulesRequest(),
        [this](const host::v1::ModuleEvent& event) { hear(event); });
    return {};
  }

  Result<std::string> stop(Context) override {
    watch_->stop();
    return std::string();
  }

 private:
  // Runs one at a time, so it needs no lock.
  void hear(const host::v1::ModuleEvent& event) {
    const host::v1::Module& module = event.module();
    if (event.type() == host::v1::ModuleEvent::TYPE_REMOVED) {
      states_.erase(module.name());
      log(LONGSHORE_LOG_INFO, module.name() + " is gone");
    } else if (event.type() == host::v1::ModuleEvent::TYPE_UPDATED) {
      std::string text = module.name() + " is " + module.state();
      if (tells_reason_ && !module.reason().empty()) text += ": " + module.reason();
      std::string& told = states_[module.name()];
      if (told == text) return;  // the list was lost, and is told from the beginning
      log(LONGSHORE_LOG_INFO, text);
      told = std::move(text);
    }
  }

  bool tells_reason_ = false;
  std::map<std::string, std::string> states_;  // as logged
  std::optional<Watch> watch_;                 // last: it is ended first
};

}  // namespace longshore::example

LONGSHORE_MODULE(longshore::example::ExampleModule, "longshore-example", "0.1.0", "Longshore")
