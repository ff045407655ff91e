// A module in a process of its own, as the agent runs it: by the configuration, behind a router.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "config/settings.h"
#include "loader/instance.h"
#include "router/router.h"
#include "tests/windows/waited_answer.h"

namespace longshore::test {

class IsolatedModule {
 public:
  // Of the file in the working folder; fails the test if it cannot be started.
  explicit IsolatedModule(const std::string& file, config::ProcessSettings process = {});
  // Stops it, unless that was done.
  ~IsolatedModule();
  IsolatedModule(const IsolatedModule&) = delete;
  IsolatedModule& operator=(const IsolatedModule&) = delete;

  std::shared_ptr<WaitedAnswer> begin(std::string_view method, std::string_view request);
  // Its answer, or the name of its code and why.
  std::string call(std::string_view method, std::string_view request);
  // Of the trial module.
  std::string ask(std::string_view request) { return call("trial.v1.Trial/Do", request); }
  // The empty text: it did so in time.
  std::string stop(std::chrono::nanoseconds time);

  loader::ModuleProcess process() const { return *code_->process(); }
  const std::string& log() const { return *lines_; }

 private:
  const std::shared_ptr<std::string> lines_ = std::make_shared<std::string>();
  const std::unique_ptr<observe::Log> log_;
  router::Timers timers_;
  router::Router router_{timers_, {}};
  std::shared_ptr<loader::ModuleCode> code_;
  std::shared_ptr<loader::Instance> instance_;
  bool is_stopped_ = false;
};

}  // namespace longshore::test
