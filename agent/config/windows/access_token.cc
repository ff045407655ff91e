#include "config/windows/access_token.h"

// windows.h comes before it.
#include <sddl.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "longshore/windows/local_memory.hpp"
#include "longshore/windows/wide_text.hpp"

namespace longshore::config {
namespace {

constexpr const char* kSystem = "S-1-5-18";
constexpr const char* kAdministrators = "S-1-5-32-544";
constexpr const char* kAnonymous = "S-1-5-7";

}  // namespace

std::string text_of_sid(PSID sid) {
  wchar_t* text = nullptr;
  if (!sid || !ConvertSidToStringSidW(sid, &text)) return {};
  const LocalMemory<wchar_t> owned(text);
  return narrow(text);
}

std::optional<AccessToken> AccessToken::of_process(HANDLE process) {
  HANDLE token = nullptr;
  if (!OpenProcessToken(process, TOKEN_QUERY, &token)) return std::nullopt;
  return AccessToken(Handle(token));
}

std::optional<AccessToken> AccessToken::of_this_thread() {
  HANDLE token = nullptr;
  // As the agent: the client may not be allowed to look at its own token.
  if (!OpenThreadToken(GetCurrentThread(), TOKEN_QUERY, TRUE, &token)) return std::nullopt;
  return AccessToken(Handle(token));
}

// The answer's size is told first, and may have grown by the second question.
std::vector<char> AccessToken::ask(TOKEN_INFORMATION_CLASS what) const {
  constexpr int kTries = 4;
  std::vector<char> answer;
  for (int i = 0; i < kTries; ++i) {
    DWORD size = 0;
    if (GetTokenInformation(token_.get(), what, answer.data(), static_cast<DWORD>(answer.size()),
                            &size)) {
      return answer;
    }
    if (GetLastError() != ERROR_INSUFFICIENT_BUFFER) break;
    answer.resize(size);
  }
  return {};
}

UserId AccessToken::user() const {
  const std::vector<char> answer = ask(TokenUser);
  if (answer.size() < sizeof(TOKEN_USER)) return {};
  return text_of_sid(reinterpret_cast<const TOKEN_USER*>(answer.data())->User.Sid);
}

std::vector<UserId> AccessToken::groups() const {
  const std::vector<char> answer = ask(TokenGroups);
  if (answer.size() < sizeof(DWORD)) return {};
  const auto* const list = reinterpret_cast<const TOKEN_GROUPS*>(answer.data());
  std::vector<UserId> groups;
  for (DWORD i = 0; i < list->GroupCount; ++i) {
    const SID_AND_ATTRIBUTES& group = list->Groups[i];
    if (group.Attributes & SE_GROUP_ENABLED) groups.push_back(text_of_sid(group.Sid));
  }
  return groups;
}

bool AccessToken::is_anonymous() const { return user() == kAnonymous; }

bool AccessToken::is_privileged() const {
  if (user() == kSystem) return true;
  const std::vector<UserId> groups = this->groups();
  return std::find(groups.begin(), groups.end(), kAdministrators) != groups.end();
}

}  // namespace longshore::config
