// The agent's service, which there is once in a system: made and removed by longshorectl, and seen
// as another program of the system sees it.
//
// Threads: one.
#pragma once

#include <windows.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/eventually.h"
#include "tests/windows/agent_program.h"

namespace longshore::test {

// longshorectl service ...
inline ProgramEndState run_service(const std::vector<std::string>& more) {
  std::vector<std::string> words{"service"};
  words.insert(words.end(), more.begin(), more.end());
  return run_program("longshorectl", words);
}

class SeenService {
 public:
  SeenService()
      : manager_(OpenSCManagerW(nullptr, nullptr, SC_MANAGER_CONNECT)),
        service_(OpenServiceW(
            manager_, L"longshored",
            SERVICE_QUERY_STATUS | SERVICE_START | SERVICE_STOP | SERVICE_PAUSE_CONTINUE)) {
    REQUIRE(service_);
  }
  ~SeenService() {
    CloseServiceHandle(service_);
    CloseServiceHandle(manager_);
  }
  SeenService(const SeenService&) = delete;
  SeenService& operator=(const SeenService&) = delete;

  SERVICE_STATUS_PROCESS status() const {
    SERVICE_STATUS_PROCESS status{};
    DWORD size = 0;
    REQUIRE(QueryServiceStatusEx(service_, SC_STATUS_PROCESS_INFO, reinterpret_cast<BYTE*>(&status),
                                 sizeof(status), &size));
    return status;
  }
  bool comes_to(DWORD state) const {
    return eventually([&] { return status().dwCurrentState == state; });
  }
  void start() const { REQUIRE(StartServiceW(service_, 0, nullptr)); }
  void tell(DWORD control) const {
    SERVICE_STATUS status{};
    REQUIRE(ControlService(service_, control, &status));
  }

 private:
  const SC_HANDLE manager_;
  const SC_HANDLE service_;
};

}  // namespace longshore::test
