#include "system/windows/service_queries.h"

#include <cstddef>
#include <functional>
#include <optional>

#include "system/windows/service_structures.h"

namespace longshore::system {
namespace {

static_assert(sizeof(ServiceConfigAnswer) == sizeof(QUERY_SERVICE_CONFIGW));
static_assert(offsetof(ServiceConfigAnswer, start_type) ==
              offsetof(QUERY_SERVICE_CONFIGW, dwStartType));
static_assert(offsetof(ServiceConfigAnswer, program) ==
              offsetof(QUERY_SERVICE_CONFIGW, lpBinaryPathName));
static_assert(offsetof(ServiceConfigAnswer, tag) == offsetof(QUERY_SERVICE_CONFIGW, dwTagId));
static_assert(offsetof(ServiceConfigAnswer, dependencies) ==
              offsetof(QUERY_SERVICE_CONFIGW, lpDependencies));
static_assert(offsetof(ServiceConfigAnswer, display_name) ==
              offsetof(QUERY_SERVICE_CONFIGW, lpDisplayName));

static_assert(sizeof(ServiceStatusAnswer) == sizeof(ENUM_SERVICE_STATUSW));
static_assert(offsetof(ServiceStatusAnswer, name) == offsetof(ENUM_SERVICE_STATUSW, lpServiceName));
static_assert(offsetof(ServiceStatusAnswer, display_name) ==
              offsetof(ENUM_SERVICE_STATUSW, lpDisplayName));
static_assert(offsetof(ServiceStatusAnswer, state) ==
              offsetof(ENUM_SERVICE_STATUSW, ServiceStatus) +
                  offsetof(SERVICE_STATUS, dwCurrentState));
static_assert(kServiceIsStopped == SERVICE_STOPPED);

constexpr size_t kFirstBytes = 8 * 1024;    // what QueryServiceConfigW takes at most
constexpr size_t kMostBytes = 1024 * 1024;  // EnumDependentServicesW documents 256 KiB
constexpr int kMostTries = 8;               // dependants may come while they are listed

Error bad_answer(const ServicePurpose& purpose, const char* cause) {
  return purpose.error(StatusCode::kInternal)
      .because(std::string("the service control manager's answer makes no sense: ") + cause);
}

// Asks with larger and larger buffers; the answer is what is in the last.
Result<std::vector<std::byte>> ask(
    const ServicePurpose& purpose, DWORD too_small,
    const std::function<DWORD(std::span<std::byte> buffer, DWORD& needed)>& question) {
  std::vector<std::byte> buffer(kFirstBytes);
  for (int tries = 0; tries < kMostTries; ++tries) {
    DWORD needed = 0;
    const DWORD code = question(buffer, needed);
    if (code == ERROR_SUCCESS) return buffer;
    if (code != too_small) return service_error(purpose, code);
    // Of the whole for one question, of the rest for the other: the sum is enough for both.
    if (needed == 0) return bad_answer(purpose, "it is too long, and needs no more room");
    if (needed > kMostBytes - buffer.size()) return bad_answer(purpose, "it is too long");
    buffer.assign(buffer.size() + needed, std::byte{});
  }
  return purpose.error(StatusCode::kUnavailable)
      .because("the answer grew faster than the room for it")
      .advise("try again");
}

}  // namespace

Result<ServiceConfig> read_config(ServiceControlManager& manager, SC_HANDLE service,
                                  const ServicePurpose& purpose) {
  const auto buffer =
      ask(purpose, ERROR_INSUFFICIENT_BUFFER, [&](std::span<std::byte> room, DWORD& needed) {
        return manager.query_config(service, room, needed);
      });
  if (!buffer) return buffer.error();
  auto config = config_of(support::PointedAnswer(*buffer));
  if (!config) return bad_answer(purpose, "the display name lies outside of it");
  return *std::move(config);
}

Result<std::vector<std::string>> read_dependants(ServiceControlManager& manager, SC_HANDLE service,
                                                 const ServicePurpose& purpose) {
  DWORD count = 0;
  const auto buffer = ask(purpose, ERROR_MORE_DATA, [&](std::span<std::byte> room, DWORD& needed) {
    count = 0;
    return manager.enumerate_dependants(service, room, needed, count);
  });
  if (!buffer) return buffer.error();
  auto names = active_services_of(support::PointedAnswer(*buffer), count);
  if (!names) return bad_answer(purpose, "the services do not fit into it, or point out of it");
  return *std::move(names);
}

}  // namespace longshore::system
