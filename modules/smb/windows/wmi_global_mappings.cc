#include "smb/windows/wmi_global_mappings.h"

#include <algorithm>

#include "support/ascii.h"

namespace longshore::smb {

using support::kSmbNamespace;
using support::Secret;
using support::WmiObject;

namespace {

constexpr const char* kMappingClass = "MSFT_SmbGlobalMapping";
constexpr const char* kAllMappings = "SELECT * FROM MSFT_SmbGlobalMapping";
constexpr const char* kPath = "__PATH";
constexpr WindowsCode kNotConnected = 2250;  // ERROR_NOT_CONNECTED

void append_escaped(Secret& secret, const std::string& name) {
  for (const char& c : name) {
    if (c == '\\' || c == ':') secret.append("\\");
    secret.append(std::string_view(&c, 1));
  }
}

const int64_t* number_in(const WmiObject& object, std::string_view name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : std::get_if<int64_t>(&found->second);
}

// What a method returned, or what WMI itself had from the SMB client.
Result<WindowsCode> code_of(const Result<WmiObject>& answer, const char* operation,
                            const std::string& root) {
  if (!answer) {
    const std::error_code& system = answer.error().system();
    if (system.category() == std::system_category() && system.value() != 0) {
      return static_cast<WindowsCode>(system.value());
    }
    return answer.error();
  }
  if (const int64_t* const code = number_in(*answer, "ReturnValue")) {
    return static_cast<WindowsCode>(*code);
  }
  return Error(StatusCode::kInternal, operation, root).because("WMI's method returned nothing");
}

}  // namespace

Secret credential_text(const Credentials& credentials) {
  Secret text;
  if (!credentials.domain().empty()) {
    append_escaped(text, credentials.domain());
    append_escaped(text, "\\");
  }
  append_escaped(text, credentials.user());
  text.append(":");
  text.append(credentials.password());
  return text;
}

Result<WmiObject> WmiGlobalMappings::find(const std::string& root, const Deadline& deadline) {
  auto mappings = wmi_->query(kSmbNamespace, kAllMappings, deadline);
  if (!mappings) return std::move(mappings).error();
  const auto found = std::ranges::find_if(*mappings, [&](const WmiObject& mapping) {
    return support::lower_case(support::text_of(mapping, "RemotePath")) ==
           support::lower_case(root);
  });
  return found == mappings->end() ? WmiObject() : std::move(*found);
}

Result<std::optional<MappingStatus>> WmiGlobalMappings::status(const std::string& root,
                                                               const Deadline& deadline) {
  const Result<WmiObject> mapping = find(root, deadline);
  if (!mapping) return mapping.error();
  if (mapping->empty()) return std::optional<MappingStatus>();
  // One that does not tell is none to rely on.
  const int64_t* const status = number_in(*mapping, "Status");
  return std::optional(status != nullptr ? static_cast<MappingStatus>(*status)
                                         : MappingStatus::kUnavailable);
}

Result<WindowsCode> WmiGlobalMappings::create(const std::string& root,
                                              const Credentials& credentials, bool require_privacy,
                                              const Deadline& deadline) {
  WmiObject arguments = {{"RemotePath", root}, {"RequirePrivacy", require_privacy}};
  if (!credentials.is_nobody()) {
    arguments["Credential"] = std::make_shared<const Secret>(credential_text(credentials));
  }
  return code_of(wmi_->call(kSmbNamespace, kMappingClass, "Create", arguments, deadline),
                 "map the share", root);
}

Result<WindowsCode> WmiGlobalMappings::remove(const std::string& root, const Deadline& deadline) {
  const Result<WmiObject> mapping = find(root, deadline);
  if (!mapping) return mapping.error();
  const std::string path = support::text_of(*mapping, kPath);
  if (path.empty()) return kNotConnected;
  return code_of(wmi_->call(kSmbNamespace, path, "Remove", {{"Force", true}}, deadline),
                 "remove the mapping", root);
}

}  // namespace longshore::smb
