// A server of the gRPC C++ library that answers /v1.Filesystem/PathExists with lstat: what the
// agent is compared with. Says "serving" when it does, and ends with SIGTERM.
//
//   grpc_peer_server --socket <path>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>
#include <sys/stat.h>

#include <iostream>
#include <string>
#include <vector>

#include "tests/conformance/byte_buffer.h"
#include "tests/support/grpc_server.h"

namespace {

using longshore::conformance::buffer_of;
using longshore::conformance::bytes_of;

// The field `path` of a PathExistsRequest with a path shorter than 128 bytes.
std::string path_of(const std::string& request) {
  if (request.size() < 2 || request[0] != 0x0a) return {};
  return request.substr(2, static_cast<unsigned char>(request[1]));
}

class PathExists final : public grpc::ServerGenericBidiReactor {
 public:
  PathExists() { StartRead(&request_); }

  void OnReadDone(bool ok) override {
    if (!ok) {
      Finish(grpc::Status(grpc::StatusCode::INTERNAL, "no request"));
      return;
    }
    struct stat ignored;
    const bool exists = lstat(path_of(bytes_of(request_)).c_str(), &ignored) == 0;
    answer_ = buffer_of(exists ? std::string("\x08\x01", 2) : std::string());
    StartWriteAndFinish(&answer_, grpc::WriteOptions(), grpc::Status::OK);
  }

  void OnDone() override { delete this; }

 private:
  grpc::ByteBuffer request_;
  grpc::ByteBuffer answer_;
};

class Service final : public grpc::CallbackGenericService {
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext*) override {
    return new PathExists;
  }
};

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  if (arguments.size() != 2 || arguments[0] != "--socket") {
    std::cerr << "usage: grpc_peer_server --socket <path>\n";
    return 2;
  }
  Service service;
  return longshore::test::run_grpc_server(arguments[1], service);
}
