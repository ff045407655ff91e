#include "main/windows/service_events.h"

#include <windows.h>

#include "longshore/windows/wide_text.hpp"
#include "main/windows/windows_control.h"

namespace longshore {
namespace {

// ReportEventW takes no more than 31,839 characters.
constexpr size_t kMostBytes = 30'000;

}  // namespace

void tell_event(ServiceEvent event, std::string_view text) {
  const HANDLE source = RegisterEventSourceW(nullptr, kServiceName);
  if (!source) return;
  const std::wstring words = wide(text.substr(0, kMostBytes));
  const wchar_t* texts[] = {words.c_str()};
  const WORD type =
      event == ServiceEvent::kFailed ? EVENTLOG_ERROR_TYPE : EVENTLOG_INFORMATION_TYPE;
  ReportEventW(source, type, 0, static_cast<DWORD>(event), nullptr, 1, 0, texts, nullptr);
  DeregisterEventSource(source);
}

}  // namespace longshore
