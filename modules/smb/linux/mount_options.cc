#include "smb/linux/mount_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string_view>

namespace longshore::smb {
namespace {

constexpr std::string_view kVersionBefore3 = "2.1";
constexpr std::array<std::string_view, 8> kVersions = {
    kVersionBefore3, "3", "3.0.2", "3.0", "3.02", "3.1.1", "3.11", "default"};

bool is_version(std::string_view text) {
  return std::ranges::find(kVersions, text) != kVersions.end();
}

// The largest number means "none" to the kernel.
bool is_id(std::string_view text) {
  uint32_t id = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, id);
  return error == std::errc() && rest == end && id != std::numeric_limits<uint32_t>::max();
}

// Some kernels take a mode without the 0 for a decimal number.
bool is_mode(std::string_view text) {
  return text.starts_with('0') && text.size() <= 4 &&
         text.find_first_not_of("01234567") == std::string_view::npos;
}

struct Allowed {
  std::string_view name;
  bool (*is_value)(std::string_view);  // null: it takes none
};

constexpr std::array<Allowed, 7> kAllowed = {{
    {"vers", &is_version},
    {"uid", &is_id},
    {"gid", &is_id},
    {"file_mode", &is_mode},
    {"dir_mode", &is_mode},
    {"noperm", nullptr},
    {"noserverino", nullptr},
}};

Error refused(const std::string& text, std::string complaint) {
  return Error(StatusCode::kInvalidArgument, "use as one of the mount_options", text)
      .because(std::move(complaint));
}

}  // namespace

Result<MountOptions> MountOptions::from(const std::vector<std::string>& texts,
                                        bool require_privacy) {
  MountOptions result;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    MountOption option{text.substr(0, equals),
                       equals == std::string::npos ? "" : text.substr(equals + 1)};
    const auto allowed = std::ranges::find(kAllowed, option.name, &Allowed::name);
    if (allowed == kAllowed.end()) {
      return refused(text, "it is not one of those that are allowed")
          .advise("allowed are vers=, uid=, gid=, file_mode=, dir_mode=, noperm and noserverino");
    }
    const bool takes_value = allowed->is_value != nullptr;
    if (takes_value != (equals != std::string::npos) ||
        (takes_value && !allowed->is_value(option.value))) {
      return refused(text, "this is no value that it can have");
    }
    if (require_privacy && option.name == "vers" && option.value == kVersionBefore3) {
      return refused(text, "this version of SMB cannot encrypt")
          .advise("take vers=3 or later, or set require_privacy = false");
    }
    result.options_.push_back(std::move(option));
  }
  return result;
}

}  // namespace longshore::smb
