// The functions of iscsidsc.dll, Windows' iSCSI initiator, that the group uses, as its
// documentation has them. (mingw's header for it does not compile.)
//
// Every function answers with a code, 0 for success: one of Windows' own or, from 0xEFFF0001 on, of
// the initiator's. The service MSiSCSI does the work, and may take as long as a target or portal
// does. Names are in the arrays of a size that the initiator has for them, with a zero at the end.
//
// Threads: any number at once.
#pragma once

#include <windows.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "iscsi/iscsi_backend.h"
#include "iscsi/windows/initiator_structures.h"

namespace longshore::iscsi {

using InitiatorCode = ULONG;

// What the structures have in fixed-width types.
static_assert(sizeof(WCHAR) == sizeof(char16_t) && sizeof(ULONG) == sizeof(uint32_t));
static_assert(sizeof(DeviceOnSession::interface_name) == MAX_PATH * sizeof(WCHAR));

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
