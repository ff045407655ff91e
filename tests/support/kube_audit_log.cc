#include "tests/support/kube_audit_log.h"

#include <boost/json.hpp>
#include <optional>
#include <sstream>
#include <utility>

namespace longshore::test {
namespace {

namespace json = boost::json;

std::string text_at(const json::value& event, const std::string& pointer) {
  json::error_code error;
  const json::value* const found = event.find_pointer(pointer, error);
  return found && found->is_string() ? std::string(found->as_string()) : std::string();
}

std::optional<KubeRequestMade> request_of(const std::string& line, const std::string& user) {
  json::error_code error;
  const json::value event = json::parse(line, error);
  if (error || text_at(event, "/stage") != "ResponseComplete" ||
      text_at(event, "/user/username") != user) {
    return std::nullopt;
  }
  KubeRequestMade made{text_at(event, "/verb"), text_at(event, "/objectRef/resource")};
  const json::value* const status = event.find_pointer("/responseStatus/code", error);
  if (status) made.status = static_cast<int>(status->to_number<int>());
  const std::string part = text_at(event, "/objectRef/subresource");
  if (!part.empty()) made.resource += '/' + part;
  return made;
}

}  // namespace

std::vector<KubeRequestMade> audited_requests(const std::string& log, const std::string& user) {
  std::vector<KubeRequestMade> made;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (auto request = request_of(line, user)) made.push_back(*std::move(request));
  }
  return made;
}

}  // namespace longshore::test
