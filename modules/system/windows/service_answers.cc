#include "system/windows/service_answers.h"

#include <cstring>
#include <functional>
#include <optional>
#include <string_view>

#include "longshore/windows/wide_text.hpp"

namespace longshore::system {
namespace {

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

// The text at a pointer into the buffer, to its zero; nothing if it does not lie there.
std::optional<std::string> text_at(const wchar_t* text, std::span<const std::byte> buffer) {
  const auto place = reinterpret_cast<uintptr_t>(text);
  const auto begin = reinterpret_cast<uintptr_t>(buffer.data());
  if (place < begin || place >= begin + buffer.size() || place % alignof(wchar_t) != 0) return {};
  const size_t room = (begin + buffer.size() - place) / sizeof(wchar_t);
  const size_t length = wcsnlen(text, room);
  if (length == room) return {};
  return narrow(std::wstring_view(text, length));
}

}  // namespace

Result<ServiceConfig> read_config(ServiceControlManager& manager, SC_HANDLE service,
                                  const ServicePurpose& purpose) {
  const auto buffer =
      ask(purpose, ERROR_INSUFFICIENT_BUFFER, [&](std::span<std::byte> room, DWORD& needed) {
        return manager.query_config(service, room, needed);
      });
  if (!buffer) return buffer.error();
  QUERY_SERVICE_CONFIGW config;
  std::memcpy(&config, buffer->data(), sizeof(config));
  ServiceConfig answer{config.dwStartType, {}};
  if (config.lpDisplayName == nullptr) return answer;
  auto name = text_at(config.lpDisplayName, *buffer);
  if (!name) return bad_answer(purpose, "the display name lies outside of it");
  answer.display_name = *std::move(name);
  return answer;
}

Result<std::vector<std::string>> read_dependants(ServiceControlManager& manager, SC_HANDLE service,
                                                 const ServicePurpose& purpose) {
  DWORD count = 0;
  const auto buffer = ask(purpose, ERROR_MORE_DATA, [&](std::span<std::byte> room, DWORD& needed) {
    count = 0;
    return manager.enumerate_dependants(service, room, needed, count);
  });
  if (!buffer) return buffer.error();
  if (count > buffer->size() / sizeof(ENUM_SERVICE_STATUSW)) {
    return bad_answer(purpose, "it counts more services than fit into it");
  }
  std::vector<std::string> names;
  for (DWORD i = 0; i < count; ++i) {
    ENUM_SERVICE_STATUSW entry;
    std::memcpy(&entry, buffer->data() + i * sizeof(entry), sizeof(entry));
    auto name = text_at(entry.lpServiceName, *buffer);
    if (!name || name->empty()) return bad_answer(purpose, "a service's name lies outside of it");
    if (entry.ServiceStatus.dwCurrentState != SERVICE_STOPPED) names.push_back(*std::move(name));
  }
  return names;
}

}  // namespace longshore::system
