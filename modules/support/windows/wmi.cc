#include "support/windows/wmi.h"

namespace longshore::support {
namespace {

// What MSFT_StorageSetting, MSFT_Volume and their like return. Others are told by number.
std::string storage_return_text(int64_t code) {
  switch (code) {
    case 1:
      return "it is not supported";
    case 4:
      return "it failed for no reason that was given";
    case 5:
      return "a parameter is invalid";
    case 40001:
      return "access is denied";
    case 40002:
      return "there are not enough resources";
    case 41000:
      return "the disk is not initialized";
    case 41002:
      return "the disk is read-only";
    case 41003:
      return "the disk is offline";
    case 42002:
      return "the access path is in use already";
    case 42010:
      return "the allocation unit is not supported for this size";
    case 43003:
      return "the volume cannot be locked, somebody uses it";
    default:
      return "it failed";
  }
}

StatusCode storage_return_status(int64_t code) {
  switch (code) {
    case 1:
      return StatusCode::kUnimplemented;
    case 40001:
      return StatusCode::kPermissionDenied;
    case 40002:
      return StatusCode::kResourceExhausted;
    case 41000:
    case 41002:
    case 41003:
    case 42002:
    case 43003:
      return StatusCode::kFailedPrecondition;
    default:
      return StatusCode::kInternal;
  }
}

}  // namespace

std::string text_of(const WmiObject& object, std::string_view name) {
  const auto found = object.find(name);
  if (found == object.end()) return {};
  const auto* text = std::get_if<std::string>(&found->second);
  return text == nullptr ? std::string() : *text;
}

Result<void> check_storage_return(const WmiObject& answer, std::string_view operation,
                                  const std::string& object, const std::string& called) {
  const auto found = answer.find("ReturnValue");
  const auto* code = found == answer.end() ? nullptr : std::get_if<int64_t>(&found->second);
  if (code == nullptr) {
    return Error(StatusCode::kInternal, std::string(operation), object)
        .because(called + " returned nothing");
  }
  if (*code == 0) return {};
  return Error(storage_return_status(*code), std::string(operation), object)
      .because(called + " returned " + std::to_string(*code) + ": " + storage_return_text(*code));
}

}  // namespace longshore::support
