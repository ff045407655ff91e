// A CSI driver of the gRPC C++ library, with the service Identity alone, which answers Probe as a
// file says at that moment:
//
//   ready | unset | not-ready | error <code> <text> | hang | crash
//
// "error 0" is OK without a response.
//
// It adds a line to another file for each Probe that comes ("probe") and each that hangs and is
// cancelled ("cancelled"). Ends with SIGTERM.
//
//   csi_driver --socket <path> --answer <file> --calls <file> [--name <driver>]
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/grpc_server.h"

namespace longshore::test {
namespace {

// By hand from CSI's field numbers, so that they are not our own messages which agree.
const std::string kReady("\x0a\x02\x08\x01", 4);
const std::string kNotReady("\x0a\x00", 2);

// With the version 1. The name has 127 bytes at most.
std::string plugin_info(const std::string& name) {
  return std::string("\x0a") + static_cast<char>(name.size()) + name + "\x12\x01" + "1";
}

struct Files {
  std::string name = "test.csi.example";  // the driver's
  std::string answer;
  std::string calls;
  std::mutex mutex;

  std::string command() const {
    std::ifstream file(answer);
    std::string line;
    std::getline(file, line);
    return line;
  }
  void note(const char* line) {
    const std::lock_guard lock(mutex);
    std::ofstream(calls, std::ios::app) << line << std::endl;
  }
};

class Call final : public grpc::ServerGenericBidiReactor {
 public:
  Call(grpc::GenericCallbackServerContext* context, Files& files)
      : context_(context), files_(files) {
    StartRead(&request_);
  }

  void OnReadDone(bool ok) override {
    if (ok) return StartRead(&request_);
    if (context_->method() == "/csi.v1.Identity/GetPluginInfo")
      return answer(plugin_info(files_.name));
    if (context_->method() == "/csi.v1.Identity/Probe") return probe();
    Finish(grpc::Status(grpc::StatusCode::UNIMPLEMENTED, "no such method"));
  }

  void OnCancel() override {
    const std::lock_guard lock(mutex_);
    give_up();
  }

  void OnDone() override { delete this; }

 private:
  void probe() {
    files_.note("probe");
    std::istringstream words(files_.command());
    std::string word;
    words >> word;
    if (word == "ready") return answer(kReady);
    if (word == "unset") return answer({});
    if (word == "not-ready") return answer(kNotReady);
    if (word == "crash") std::abort();
    if (word == "hang") return hang();
    int code = 0;
    std::string text;
    std::getline(words >> code >> std::ws, text);
    Finish(grpc::Status(static_cast<grpc::StatusCode>(code), text));
  }

  void hang() {
    const std::lock_guard lock(mutex_);
    hangs_ = true;
    if (context_->IsCancelled()) give_up();  // before it hung
  }

  // With the mutex.
  void give_up() {
    if (!std::exchange(hangs_, false)) return;
    files_.note("cancelled");
    Finish(grpc::Status::CANCELLED);
  }

  void answer(const std::string& message) {
    const grpc::Slice slice(message);
    response_ = grpc::ByteBuffer(&slice, 1);
    StartWriteAndFinish(&response_, grpc::WriteOptions(), grpc::Status::OK);
  }

  grpc::GenericCallbackServerContext* const context_;
  Files& files_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
  std::mutex mutex_;    // OnCancel runs beside the others
  bool hangs_ = false;  // guarded by mutex_
};

class Service final : public grpc::CallbackGenericService {
 public:
  explicit Service(Files& files) : files_(files) {}

 private:
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    return new Call(context, files_);
  }

  Files& files_;
};

}  // namespace
}  // namespace longshore::test

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  const bool has_name = arguments.size() == 8 && arguments[6] == "--name";
  if ((arguments.size() != 6 && !has_name) || arguments[0] != "--socket" ||
      arguments[2] != "--answer" || arguments[4] != "--calls") {
    std::cerr
        << "usage: csi_driver --socket <path> --answer <file> --calls <file> [--name <driver>]\n";
    return 2;
  }
  longshore::test::Files files;
  files.answer = arguments[3];
  files.calls = arguments[5];
  if (has_name) files.name = arguments[7];
  longshore::test::Service service(files);
  return longshore::test::run_grpc_server(arguments[1], service);
}
