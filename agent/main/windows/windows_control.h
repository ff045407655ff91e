// The two ways in which Windows asks a process to end: the service control manager asks a service,
// and the console asks the others, as a container's runtime does.
//
//   longshored                  runs in its console
//   longshored --service        runs under the service control manager, which calls `run_service`
//
// Threads: Windows calls handlers on threads of its own. Owner: main.
#pragma once

#include <windows.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "main/process_control.h"

namespace longshore {

// What a control of the service control manager's asks the agent for.
struct AskedByControl {
  const char* end = nullptr;  // why it is to end
  bool reload = false;
  DWORD answer = NO_ERROR;
};
AskedByControl asked_by(DWORD control);

// Takes what it is asked to the agent, while there is one.
class AskedAgent {
 public:
  void set(Agent* agent);
  void end(const char* reason);
  void reload();

 private:
  std::mutex mutex_;
  Agent* agent_ = nullptr;
};

// Ctrl+C and Ctrl+Break are signals, which the agent heeds itself. The close of the console, a log
// off and a shutdown, which is what a container's runtime sends, end the process as soon as their
// handler returns: it waits for the agent's end.
class ConsoleControl final : public ProcessControl {
 public:
  ConsoleControl();
  ~ConsoleControl() override;
  void notify(std::string_view) override {}
  void serve(Agent* agent) override { agent_.set(agent); }

 private:
  static BOOL WINAPI on_event(DWORD event);

  AskedAgent agent_;
};

// Reports to the service control manager what the agent says, and the agent is told what that asks
// for: stop, shutdown, and a reload by SERVICE_CONTROL_PARAMCHANGE. The event log is told of its
// start and its end.
class ServiceControl final : public ProcessControl {
 public:
  // [service's thread]
  explicit ServiceControl(const wchar_t* name);
  bool is_known() const { return status_ != nullptr; }

  void notify(std::string_view state) override;
  void fail(std::string_view why) override { failure_ = why; }
  void serve(Agent* agent) override { agent_.set(agent); }
  // The last report: the process may end as soon as it is made. 0: in order.
  void report_end(int exit_code);

 private:
  static DWORD WINAPI on_control(DWORD control, DWORD event, void* data, void* self);
  void report(DWORD state, DWORD exit_code = NO_ERROR);

  AskedAgent agent_;
  std::mutex mutex_;  // one report at a time
  SERVICE_STATUS_HANDLE status_ = nullptr;
  DWORD state_ = SERVICE_START_PENDING;
  DWORD checkpoint_ = 0;
  std::atomic<bool> has_served_ = false;
  std::string failure_;
};

inline constexpr const wchar_t* kServiceName = L"longshored";

// Runs `work` as the service's: it gets the control and answers the process's exit code. Ends when
// the service has. An error: this process was not started by the service control manager.
Result<int> run_service(const std::function<int(ProcessControl&)>& work);

}  // namespace longshore
