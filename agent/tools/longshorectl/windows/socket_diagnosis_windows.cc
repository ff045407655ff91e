#include <windows.h>

#include "tools/longshorectl/socket_diagnosis.h"

namespace longshore::ctl {

Error not_reachable(const std::string& socket, std::error_code code) {
  constexpr const char* kIsItRunning =
      "is longshored running (longshorectl service status), and is this its control pipe "
      "(--socket)?";
  Error error(StatusCode::kUnavailable, "reach the agent at", socket);
  switch (code.value()) {
    case ERROR_ACCESS_DENIED:
      return std::move(error)
          .because("access is denied")
          .advise("only the system's account and elevated administrators may use the control pipe");
    case ERROR_FILE_NOT_FOUND:
      return std::move(error).because("there is no such pipe").advise(kIsItRunning);
    case ERROR_PIPE_BUSY:
      return std::move(error)
          .because("it takes no more clients for the moment")
          .advise("try again");
    default:
      return std::move(error).because(code).advise(kIsItRunning);
  }
}

}  // namespace longshore::ctl
