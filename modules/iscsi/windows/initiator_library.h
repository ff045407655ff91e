// The functions of iscsidsc.dll, Windows' iSCSI initiator, that the group uses, and what they take
// and answer, as its documentation lays it out. (mingw's header for it does not compile.)
//
// Every function answers with a code, 0 for success: one of Windows' own or, from 0xEFFF0001 on, of
// the initiator's. The service MSiSCSI does the work, and may take as long as a target or portal
// does. Names are in the arrays of a size that the initiator has for them, with a zero at the end.
//
// Threads: any number at once.
#pragma once

#include <windows.h>
// After windows.h.
#include <winioctl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "iscsi/iscsi_backend.h"

namespace longshore::iscsi {

using InitiatorCode = ULONG;

// ISCSI_TARGET_PORTALW
struct TargetPortal {
  WCHAR symbolic_name[256];
  WCHAR address[256];
  USHORT socket;
};
static_assert(sizeof(TargetPortal) == 1026);

// ISCSI_LOGIN_OPTIONS
struct LoginOptions {
  ULONG version;
  ULONG information_specified;
  ULONG login_flags;
  ULONG authentication;
  ULONG header_digest;
  ULONG data_digest;
  ULONG maximum_connections;
  ULONG default_time_to_wait;
  ULONG default_time_to_retain;
  ULONG user_name_length;
  ULONG password_length;
  UCHAR* user_name;
  UCHAR* password;
};
static_assert(sizeof(LoginOptions) == 64);

constexpr ULONG kUserNameSpecified = 0x20;
constexpr ULONG kPasswordSpecified = 0x40;
constexpr ULONG kAuthenticationSpecified = 0x80;

// ISCSI_TARGET_PORTAL_INFO_EXW
struct TargetPortalInfo {
  WCHAR initiator_name[256];
  ULONG initiator_port;
  WCHAR symbolic_name[256];
  WCHAR address[256];
  USHORT socket;
  ULONGLONG security_flags;
  LoginOptions login_options;
};
static_assert(sizeof(TargetPortalInfo) == 1616);

// ISCSI_UNIQUE_SESSION_ID, which connections have too.
struct InitiatorId {
  ULONGLONG adapter_unique;
  ULONGLONG adapter_specific;
};

// ISCSI_CONNECTION_INFOW
struct ConnectionInfo {
  InitiatorId connection;
  WCHAR* initiator_address;
  WCHAR* target_address;
  USHORT initiator_socket;
  USHORT target_socket;
  UCHAR number[2];
};
static_assert(sizeof(ConnectionInfo) == 40);

// ISCSI_SESSION_INFOW. Documents differ about which of the two names comes first.
struct SessionInfo {
  InitiatorId session;
  WCHAR* initiator_name;
  WCHAR* target_node_name;
  WCHAR* target_name;
  UCHAR initiator_part[6];
  UCHAR target_part[2];
  ULONG connection_count;
  ConnectionInfo* connections;
};
static_assert(sizeof(SessionInfo) == 64);

// ISCSI_DEVICE_ON_SESSIONW
struct DeviceOnSession {
  WCHAR initiator_name[256];
  WCHAR target_name[224];
  struct {
    ULONG length;
    UCHAR port;
    UCHAR path;
    UCHAR target;
    UCHAR lun;
  } address;
  GUID interface_type;
  WCHAR interface_name[MAX_PATH];
  WCHAR legacy_name[MAX_PATH];
  STORAGE_DEVICE_NUMBER number;
  DWORD instance;
};
static_assert(sizeof(DeviceOnSession) == 2040);

class InitiatorLibrary {
 public:
  virtual ~InitiatorLibrary() = default;

  // Asks the portal for its targets, too.
  virtual InitiatorCode add_portal(TargetPortal portal) = 0;
  virtual InitiatorCode remove_portal(TargetPortal portal) = 0;
  virtual InitiatorCode refresh_portal(TargetPortal portal) = 0;

  // Each fills a buffer; ERROR_INSUFFICIENT_BUFFER: `size` and `count` say what is needed.
  virtual InitiatorCode report_portals(std::span<std::byte> buffer, ULONG& size, ULONG& count) = 0;
  // Names that end with a zero each; sizes are in characters.
  virtual InitiatorCode report_targets(std::span<wchar_t> buffer, ULONG& size) = 0;
  virtual InitiatorCode report_portals_of(const std::wstring& target,
                                          std::span<TargetPortal> buffer, ULONG& count) = 0;
  virtual InitiatorCode list_sessions(std::span<std::byte> buffer, ULONG& size, ULONG& count) = 0;
  virtual InitiatorCode list_devices(InitiatorId session, std::span<DeviceOnSession> buffer,
                                     ULONG& count) = 0;

  // For until the node stops.
  virtual InitiatorCode log_in(const std::wstring& target, TargetPortal portal,
                               LoginOptions options) = 0;
  virtual InitiatorCode log_out(InitiatorId session) = 0;
  // What would log in again when the node starts.
  virtual InitiatorCode remove_persistent_login(const std::wstring& target,
                                                TargetPortal portal) = 0;
  // What targets have to prove in MUTUAL_CHAP. Windows keeps it.
  virtual InitiatorCode set_chap_secret(std::span<UCHAR> secret) = 0;

  // The addresses that a host's name has now, as text; none if it has none.
  virtual std::vector<std::string> addresses_of(const std::string& host) = 0;
};

// Windows' own, looked for when something is asked.
std::unique_ptr<InitiatorLibrary> native_initiator_library();

}  // namespace longshore::iscsi
