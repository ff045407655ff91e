#include "support/windows/wmi.h"

#include <array>
#include <cstdio>

#include "support/windows/wmi_connection.h"

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

Error unanswered(const std::string& operation, const std::string& object,
                 const std::error_code& error) {
  const bool is_late = error == std::errc::timed_out;
  return Error(is_late ? StatusCode::kDeadlineExceeded : StatusCode::kUnavailable, operation,
               object)
      .because(error == std::errc::connection_already_in_progress
                   ? "the same was asked before and has not been answered"
                   : error.message());
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

Result<std::vector<WmiObject>> SystemWmi::query(const std::string& name_space,
                                                const std::string& query,
                                                const Deadline& deadline) {
  const std::string operation = "ask WMI";
  return calls_.run(
      name_space + " " + query, deadline,
      [name_space, query, operation]() -> Answer {
        const ComThread com;
        const auto connection = WmiConnection::open(com, name_space);
        if (!connection) return connection.error();
        return connection->query(query);
      },
      [&](const std::error_code& error) -> Answer { return unanswered(operation, query, error); });
}

Result<WmiObject> SystemWmi::call(const std::string& name_space, const std::string& object,
                                  const std::string& method, const WmiObject& arguments,
                                  const Deadline& deadline) {
  const std::string called = object + "." + method;
  // What is asked about one server does not wait for what is asked about another.
  std::string key = name_space + " " + called;
  for (const auto& [name, value] : arguments) {
    if (const auto* text = std::get_if<std::string>(&value)) key += " " + *text;
  }
  Answer answer = calls_.run(
      key, deadline,
      [name_space, object, method, arguments]() -> Answer {
        const ComThread com;
        const auto connection = WmiConnection::open(com, name_space);
        if (!connection) return connection.error();
        Result<WmiObject> done = connection->call(object, method, arguments);
        if (!done) return std::move(done).error();
        return std::vector<WmiObject>{*std::move(done)};
      },
      [&](const std::error_code& error) -> Answer {
        return unanswered("call by WMI", called, error);
      });
  if (!answer) return std::move(answer).error();
  return std::move(answer->front());
}

}  // namespace longshore::support
