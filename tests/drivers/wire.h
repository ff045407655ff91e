// The calls of the tables on the wire, with the real messages: of v1 (system v1alpha1), and of the
// versions before it that drivers fall back on (filesystem v1beta1, disk v1beta2, volume v1beta1
// and v1beta2, smb v1beta1).
#pragma once

#include <functional>
#include <map>
#include <stdexcept>
#include <string>

#include "tests/drivers/driver.h"

namespace longshore::test {

// What a call is made with; each takes what it needs.
struct Arguments {
  std::string path, source;
  std::string volume;
  uint32_t disk = 0;
  std::string share, username, password;
};

struct WireMethod {
  std::string group, service, name;  // "disk", "Disk", "Rescan"
  std::function<std::string(const Arguments&)> request;
  std::function<void(const std::string& message, Reply&)> answer;
};
using Wire = std::map<Method, WireMethod>;

const Wire& v1_wire();
const Wire& beta_wire();

// Makes both functions of messages: `fill` and `read` may be left out where there is nothing to do.
template <typename Request, typename Response>
WireMethod wire_method(
    std::string group, std::string service, std::string name,
    std::function<void(const Arguments&, Request&)> fill,
    std::function<void(const Response&, Reply&)> read = [](const Response&, Reply&) {}) {
  return {std::move(group), std::move(service), std::move(name),
          [fill = std::move(fill)](const Arguments& arguments) {
            Request request;
            fill(arguments, request);
            return request.SerializeAsString();
          },
          [read = std::move(read)](const std::string& message, Reply& reply) {
            Response response;
            if (!response.ParseFromString(message)) {
              throw std::runtime_error("an answer of another kind");
            }
            read(response, reply);
          }};
}

}  // namespace longshore::test
