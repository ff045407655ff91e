// iscsidsc.dll behind InitiatorLibrary.
#include <winsock2.h>
// After winsock2.h.
#include <ws2tcpip.h>

#include <mutex>

#include "iscsi/ip_address.h"
#include "iscsi/windows/initiator_library.h"
#include "longshore/windows/wide_text.hpp"

namespace longshore::iscsi {
namespace {

constexpr ULONG kAllInitiatorPorts = static_cast<ULONG>(-1);

class NativeInitiatorLibrary final : public InitiatorLibrary {
 public:
  InitiatorCode add_portal(TargetPortal portal) override {
    using Function = ULONG(WINAPI*)(WCHAR*, ULONG, LoginOptions*, ULONGLONG, TargetPortal*);
    return call<Function>("AddIScsiSendTargetPortalW", nullptr, kAllInitiatorPorts, nullptr, 0ULL,
                          &portal);
  }
  InitiatorCode remove_portal(TargetPortal portal) override {
    using Function = ULONG(WINAPI*)(WCHAR*, ULONG, TargetPortal*);
    return call<Function>("RemoveIScsiSendTargetPortalW", nullptr, kAllInitiatorPorts, &portal);
  }
  InitiatorCode refresh_portal(TargetPortal portal) override {
    using Function = ULONG(WINAPI*)(WCHAR*, ULONG, TargetPortal*);
    return call<Function>("RefreshIScsiSendTargetPortalW", nullptr, kAllInitiatorPorts, &portal);
  }

  InitiatorCode report_portals(std::span<std::byte> buffer, ULONG& size, ULONG& count) override {
    using Function = ULONG(WINAPI*)(ULONG*, ULONG*, TargetPortalInfo*);
    size = static_cast<ULONG>(buffer.size());
    return call<Function>("ReportIScsiSendTargetPortalsExW", &count, &size,
                          reinterpret_cast<TargetPortalInfo*>(buffer.data()));
  }
  InitiatorCode report_targets(std::span<wchar_t> buffer, ULONG& size) override {
    using Function = ULONG(WINAPI*)(BOOLEAN, ULONG*, WCHAR*);
    size = static_cast<ULONG>(buffer.size());
    return call<Function>("ReportIScsiTargetsW", BOOLEAN{FALSE}, &size, buffer.data());
  }
  InitiatorCode report_portals_of(const std::wstring& target, std::span<TargetPortal> buffer,
                                  ULONG& count) override {
    using Function = ULONG(WINAPI*)(WCHAR*, WCHAR*, USHORT*, ULONG*, TargetPortal*);
    count = static_cast<ULONG>(buffer.size());
    std::wstring name = target;
    return call<Function>("ReportIScsiTargetPortalsW", nullptr, name.data(), nullptr, &count,
                          buffer.data());
  }
  InitiatorCode list_sessions(std::span<std::byte> buffer, ULONG& size, ULONG& count) override {
    using Function = ULONG(WINAPI*)(ULONG*, ULONG*, SessionInfo*);
    size = static_cast<ULONG>(buffer.size());
    return call<Function>("GetIScsiSessionListW", &size, &count,
                          reinterpret_cast<SessionInfo*>(buffer.data()));
  }
  InitiatorCode list_devices(InitiatorId session, std::span<DeviceOnSession> buffer,
                             ULONG& count) override {
    using Function = ULONG(WINAPI*)(InitiatorId*, ULONG*, DeviceOnSession*);
    count = static_cast<ULONG>(buffer.size());
    return call<Function>("GetDevicesForIScsiSessionW", &session, &count, buffer.data());
  }

  InitiatorCode log_in(const std::wstring& target, TargetPortal portal,
                       LoginOptions options) override {
    using Function =
        ULONG(WINAPI*)(WCHAR*, BOOLEAN, WCHAR*, ULONG, TargetPortal*, ULONGLONG, void*,
                       LoginOptions*, ULONG, char*, BOOLEAN, InitiatorId*, InitiatorId*);
    std::wstring name = target;
    InitiatorId session{};
    InitiatorId connection{};
    return call<Function>("LoginIScsiTargetW", name.data(), BOOLEAN{FALSE}, nullptr,
                          kAllInitiatorPorts, &portal, 0ULL, nullptr, &options, 0UL, nullptr,
                          BOOLEAN{FALSE}, &session, &connection);
  }
  InitiatorCode log_out(InitiatorId session) override {
    using Function = ULONG(WINAPI*)(InitiatorId*);
    return call<Function>("LogoutIScsiTarget", &session);
  }
  InitiatorCode remove_persistent_login(const std::wstring& target, TargetPortal portal) override {
    using Function = ULONG(WINAPI*)(WCHAR*, ULONG, WCHAR*, TargetPortal*);
    std::wstring name = target;
    return call<Function>("RemoveIScsiPersistentTargetW", nullptr, kAllInitiatorPorts, name.data(),
                          &portal);
  }
  InitiatorCode set_chap_secret(std::span<UCHAR> secret) override {
    using Function = ULONG(WINAPI*)(ULONG, UCHAR*);
    return call<Function>("SetIScsiInitiatorCHAPSharedSecret", static_cast<ULONG>(secret.size()),
                          secret.data());
  }

  std::vector<std::string> addresses_of(const std::string& host) override;

 private:
  template <typename Function, typename... Arguments>
  InitiatorCode call(const char* name, Arguments... arguments) {
    InitiatorCode code = ERROR_SUCCESS;
    const HMODULE library = load(code);
    if (library == nullptr) return code;
    const auto function =
        reinterpret_cast<Function>(reinterpret_cast<void*>(GetProcAddress(library, name)));
    return function != nullptr ? function(arguments...) : ERROR_PROC_NOT_FOUND;
  }

  // Kept once it is there: the library has threads of its own.
  HMODULE load(InitiatorCode& code) {
    const std::lock_guard lock(mutex_);
    if (library_ == nullptr) {
      library_ = LoadLibraryExW(L"iscsidsc.dll", nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32);
      if (library_ == nullptr) code = GetLastError();
    }
    return library_;
  }

  std::mutex mutex_;
  HMODULE library_ = nullptr;
};

std::vector<std::string> NativeInitiatorLibrary::addresses_of(const std::string& host) {
  WSADATA data{};
  if (WSAStartup(MAKEWORD(2, 2), &data) != 0) return {};
  std::vector<std::string> addresses;
  ADDRINFOW hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  ADDRINFOW* found = nullptr;
  if (GetAddrInfoW(wide(host).c_str(), nullptr, &hints, &found) == 0) {
    for (const ADDRINFOW* each = found; each != nullptr; each = each->ai_next) {
      WCHAR text[NI_MAXHOST] = {};
      if (GetNameInfoW(each->ai_addr, static_cast<socklen_t>(each->ai_addrlen), text, NI_MAXHOST,
                       nullptr, 0, NI_NUMERICHOST) != 0) {
        continue;
      }
      if (auto address = canonical_ip_address(narrow(text))) {
        addresses.push_back(*std::move(address));
      }
    }
    FreeAddrInfoW(found);
  }
  WSACleanup();
  return addresses;
}

}  // namespace

std::unique_ptr<InitiatorLibrary> native_initiator_library() {
  return std::make_unique<NativeInitiatorLibrary>();
}

}  // namespace longshore::iscsi
