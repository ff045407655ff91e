#include <windows.h>
// windows.h comes before it.
#include <sddl.h>

#include <memory>

#include "config/user_names.h"
#include "config/windows/access_token.h"
#include "longshore/windows/local_memory.hpp"
#include "longshore/windows/wide_text.hpp"

namespace longshore::config {
namespace {

// Of "S-1-5-18"; "" for what is none.
UserId sid_in(const std::string& text) {
  PSID sid = nullptr;
  if (!text.starts_with("S-1-") || !ConvertStringSidToSidW(wide(text).c_str(), &sid)) return {};
  const LocalMemory<void> owned(sid);
  return text_of_sid(sid);
}

Result<UserId> id_of(const char* kind, const std::string& name) {
  if (UserId sid = sid_in(name); !sid.empty()) return sid;
  alignas(SID) char sid[SECURITY_MAX_SID_SIZE] = {};
  wchar_t domain[256] = {};
  DWORD sid_size = sizeof(sid);
  DWORD domain_size = sizeof(domain) / sizeof(domain[0]);
  SID_NAME_USE use = SidTypeUnknown;
  const std::error_code error =
      error_unless(LookupAccountNameW(nullptr, wide(name).c_str(), sid, &sid_size, domain,
                                      &domain_size, &use) != FALSE);
  if (!error) return text_of_sid(sid);
  return Error(StatusCode::kNotFound, std::string("find the ") + kind, name)
      .because(error)
      .advise("write an account's name, as \"NT AUTHORITY\\\\SYSTEM\", or a SID, as \"S-1-5-18\"");
}

}  // namespace

Result<UserId> user_id_of(const std::string& name_or_number) {
  return id_of("user", name_or_number);
}

Result<UserId> group_id_of(const std::string& name_or_number) {
  return id_of("group", name_or_number);
}

UserId own_user_id() {
  const auto token = AccessToken::of_process(GetCurrentProcess());
  return token ? token->user() : UserId();
}

std::vector<UserId> own_group_ids() {
  const auto token = AccessToken::of_process(GetCurrentProcess());
  return token ? token->groups() : std::vector<UserId>();
}

int own_process_id() { return static_cast<int>(GetCurrentProcessId()); }

}  // namespace longshore::config
