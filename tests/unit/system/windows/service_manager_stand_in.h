// Services in memory behind ServiceControlManager, answering as Windows documents it: a change
// takes some looks, structures come with their texts behind them, handles are counted. What it
// answers can be spoilt.
//
// Threads: any number at once; one lock. No time passes in pause(), which is only counted.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "system/windows/service_control_manager.h"

namespace longshore::system {

struct StandInService {
  std::string display_name = {};
  DWORD start_type = SERVICE_DEMAND_START;
  DWORD state = SERVICE_STOPPED;
  std::vector<std::string> dependants = {};
  // How many looks a change takes, and whether it tells that it goes on; < 0: it never ends.
  int looks = 2;
  bool tells_progress = true;
  DWORD wait_hint = 0;
  // What start() and control() answer, and where a start ends.
  DWORD start_code = ERROR_SUCCESS;
  int locked_starts = 0;  // so often the database is locked
  DWORD control_code = ERROR_SUCCESS;
  DWORD exit_code = ERROR_SUCCESS;  // not 0: it stops again when it is started
  DWORD specific_exit_code = 0;
};

class ServiceManagerStandIn : public ServiceControlManager {
 public:
  void put(const std::string& name, StandInService service);
  DWORD state(const std::string& name) const;
  // "start a", "stop b".
  std::vector<std::string> done() const;
  int open_handles() const;
  std::chrono::milliseconds paused() const;

  // Does something to each answer that is a buffer, after it was made.
  using Spoil =
      std::function<void(std::span<std::byte> buffer, DWORD& needed, DWORD& count, DWORD& code)>;
  void spoil_answers(Spoil spoil);
  void refuse_manager(DWORD code);
  void refuse_service(DWORD code);
  void refuse_status(DWORD code);

  DWORD open_manager(SC_HANDLE& manager) override;
  DWORD open_service(SC_HANDLE manager, const std::wstring& name, DWORD access,
                     SC_HANDLE& service) override;
  DWORD query_status(SC_HANDLE service, SERVICE_STATUS_PROCESS& status) override;
  DWORD query_config(SC_HANDLE service, std::span<std::byte> buffer, DWORD& needed) override;
  DWORD enumerate_dependants(SC_HANDLE service, std::span<std::byte> buffer, DWORD& needed,
                             DWORD& count) override;
  DWORD start(SC_HANDLE service) override;
  DWORD control(SC_HANDLE service, DWORD control) override;
  void close(SC_HANDLE handle) override;
  void pause(std::chrono::milliseconds time) override;

 private:
  struct Kept {
    std::string name;
    StandInService service;
    int looks_left = 0;
    DWORD check_point = 0;
  };

  Kept& kept(SC_HANDLE service);
  DWORD open(const std::string& name, SC_HANDLE& handle);
  void begin(Kept& kept, DWORD pending);

  mutable std::mutex mutex_;
  std::map<std::string, Kept> services_;  // by their comparable names
  std::map<SC_HANDLE, std::string> handles_;
  uintptr_t last_handle_ = 0;
  std::vector<std::string> done_;
  std::chrono::milliseconds paused_{0};
  Spoil spoil_;
  DWORD manager_code_ = ERROR_SUCCESS;
  DWORD service_code_ = ERROR_SUCCESS;
  DWORD status_code_ = ERROR_SUCCESS;
};

}  // namespace longshore::system
