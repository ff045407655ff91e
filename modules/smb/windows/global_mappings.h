// What the smb group asks of Windows' SMB client: mappings that the whole node has, for every user
// and container.
//
// WNetUseConnection4 can make one (CONNECT_GLOBAL_MAPPING, CONNECT_REQUIRE_PRIVACY), but no
// documented function tells its state or takes it away again: WNetCancelConnection2 and NetUse*
// know the mappings of the caller's own session. So the node's are asked by WMI, whose class
// MSFT_SmbGlobalMapping does all three, and by which csi-proxy does it; see wmi_global_mappings.h.
//
// Threads: any number at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "longshore/deadline.hpp"
#include "longshore/result.hpp"
#include "smb/credentials.h"

namespace longshore::smb {

// By MSFT_SmbGlobalMapping's numbers.
enum class MappingStatus : int64_t {
  kOk = 0,
  kPaused = 1,
  kDisconnected = 2,
  kNetworkError = 3,
  kConnecting = 4,
  kReconnecting = 5,
  kUnavailable = 6,
};

// What Windows answered to a request: its code, 0 for success.
using WindowsCode = uint32_t;

class GlobalMappings {
 public:
  virtual ~GlobalMappings() = default;

  // Of `\\host\share`, in any letters; nothing if it is not mapped.
  virtual Result<std::optional<MappingStatus>> status(const std::string& root,
                                                      const Deadline& deadline) = 0;

  // Both ask for what the code says; an error is why they got no answer. Without a user name the
  // node's own account is used.
  virtual Result<WindowsCode> create(const std::string& root, const Credentials& credentials,
                                     bool require_privacy, const Deadline& deadline) = 0;
  // Whoever uses it. Asks no server.
  virtual Result<WindowsCode> remove(const std::string& root, const Deadline& deadline) = 0;
};

}  // namespace longshore::smb
