// Asks an agent in this very process whether a path exists: once by waiting for the answer, once
// by being told.
//
//   path_exists CONFIG.toml PATH
//
// filesystem/v1.pb.h is what protoc makes of filesystem/v1.proto; any protobuf will do.
#include <future>
#include <iostream>

#include "filesystem/v1.pb.h"
#include "longshore/agent.hpp"

namespace {

int fail(const longshore::Error& error) {
  std::cerr << longshore::status_code_name(error.code()) << ": " << error.message() << '\n';
  return 1;
}

int ask(longshore::ApiGroup filesystem, const std::string& path) {
  v1::PathExistsRequest request;
  request.set_path(path);

  const auto response = filesystem.call<v1::PathExistsResponse>("PathExists", request);
  if (!response) return fail(response.error());

  std::promise<longshore::Result<v1::PathExistsResponse>> told;
  filesystem.start<v1::PathExistsResponse>("PathExists", request,
                                           [&](auto answer) { told.set_value(std::move(answer)); });
  const auto again = told.get_future().get();
  if (!again) return fail(again.error());

  std::cout << path << (response->exists() ? " exists" : " does not exist")
            << (again->exists() == response->exists() ? "" : ", or does it?") << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: " << argv[0] << " CONFIG.toml PATH\n";
    return 2;
  }
  const auto agent = longshore::EmbeddedAgent::from_file(argv[1]);
  if (!agent) return fail(agent.error());
  return ask(agent->group("v1.Filesystem"), argv[2]);
}
