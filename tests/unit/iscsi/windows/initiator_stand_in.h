// Windows' iSCSI initiator in memory, with portals that offer targets, answering as iscsidsc.dll's
// documentation has it: sizes that are too small, structures with their texts behind them. What it
// answers can be spoilt.
//
// Threads: any number at once; one lock.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "iscsi/windows/initiator_library.h"

namespace longshore::iscsi {

// A target as it is offered.
struct OfferedTarget {
  std::string user_name = {};  // "": anybody
  std::string secret = {};
  std::string own_secret = {};
  std::vector<uint32_t> disks = {};
  std::vector<Portal> portals = {};
};

class InitiatorStandIn final : public InitiatorLibrary {
 public:
  struct Session {
    std::string target;
    std::vector<Portal> portals;
  };

  std::map<std::string, OfferedTarget> offered;  // by name
  std::set<Portal> answering;                    // the portals that do
  std::vector<Portal> portals;                   // those that are known
  std::set<std::string> discovered;
  std::map<ULONGLONG, Session> sessions;
  std::map<std::string, std::vector<std::string>> hosts;
  std::string chap_secret;
  std::set<std::string> busy;          // targets whose disks are in use
  std::vector<std::string> done;       // "log in iqn...", "remove persistent iqn..."
  std::map<std::string, ULONG> codes;  // by function: what it answers in place of its own

  // Does something to an answer that is a buffer, after it was made.
  std::function<void(std::span<std::byte> buffer, ULONG& size, ULONG& count, ULONG& code)> spoil;

  InitiatorCode add_portal(TargetPortal portal) override;
  InitiatorCode remove_portal(TargetPortal portal) override;
  InitiatorCode refresh_portal(TargetPortal portal) override;
  InitiatorCode report_portals(std::span<std::byte> buffer, ULONG& size, ULONG& count) override;
  InitiatorCode report_targets(std::span<wchar_t> buffer, ULONG& size) override;
  InitiatorCode report_portals_of(const std::wstring& target, std::span<TargetPortal> buffer,
                                  ULONG& count) override;
  InitiatorCode list_sessions(std::span<std::byte> buffer, ULONG& size, ULONG& count) override;
  InitiatorCode list_devices(InitiatorId session, std::span<DeviceOnSession> buffer,
                             ULONG& count) override;
  InitiatorCode log_in(const std::wstring& target, TargetPortal portal,
                       LoginOptions options) override;
  InitiatorCode log_out(InitiatorId session) override;
  InitiatorCode remove_persistent_login(const std::wstring& target, TargetPortal portal) override;
  InitiatorCode set_chap_secret(std::span<UCHAR> secret) override;
  std::vector<std::string> addresses_of(const std::string& host) override { return hosts[host]; }

 private:
  std::optional<ULONG> code_of(const std::string& function) const;
  // The portal by each of its addresses.
  bool answers(const Portal& portal);
  ULONG finish(std::span<std::byte> buffer, ULONG& size, ULONG& count, ULONG code);

  std::recursive_mutex mutex_;
  ULONGLONG last_session_ = 0;
};

}  // namespace longshore::iscsi
