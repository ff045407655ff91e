// A CSI driver of the gRPC C++ library. Its service Identity answers Probe as a file says at that
// moment:
//
//   ready | unset | not-ready | error <code> <text> | hang | crash
//
// "error 0" is OK without a response.
//
// With --volumes it has the service Controller too, and attaches volumes by writing them into that
// file (controller_service.h); what goes wrong there, the file of --faults says (fault_script.h).
//
// It adds a line to another file for each Probe that comes ("probe"), each call that hangs and is
// cancelled ("cancelled"), and each other call of those that --volumes is for: its method, volume
// and node. Ends with SIGTERM.
//
//   csi_driver --socket <path> --answer <file> --calls <file> [--name <driver>]
//              [--volumes <file> [--faults <file>] [--capabilities 2,3] [--secret <key>=<value>]]
#include <grpcpp/alarm.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/csi_driver/controller_service.h"
#include "tests/support/csi_driver/fault_script.h"
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
  std::unique_ptr<ControllerService> controller;  // null: the driver has none
  std::unique_ptr<FaultScript> faults;            // of the controller
  std::mutex mutex;

  std::string command() const {
    std::ifstream file(answer);
    std::string line;
    std::getline(file, line);
    return line;
  }
  void note(const std::string& line) {
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
    if (files_.controller) return begin_controller_call();
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

  void begin_controller_call() {
    const std::string path = context_->method();
    const std::string method = path.substr(path.rfind('/') + 1);
    grpc::Slice bytes;
    if (!request_.DumpToSingleSlice(&bytes).ok()) {
      return Finish(grpc::Status(grpc::StatusCode::INTERNAL, "no request"));
    }
    const std::string request(reinterpret_cast<const char*>(bytes.begin()), bytes.size());
    const bool has_volume =
        method == "ControllerPublishVolume" || method == "ControllerUnpublishVolume";
    files_.note(has_volume ? method + ' ' + volume_and_node(request) : method);
    const Fault fault = files_.faults->next(method);
    if (fault.kind == "hang") return hang();
    if (fault.kind == "crash") std::abort();
    if (fault.kind == "error") return fail(fault.number, fault.text);
    if (fault.kind != "slow") return end_controller_call(method, request, fault);
    const auto end = std::chrono::system_clock::now() + std::chrono::milliseconds(fault.number);
    alarm_.Set(end, [this, method, request](bool) { end_controller_call(method, request, {}); });
  }

  void end_controller_call(const std::string& method, const std::string& request,
                           const Fault& fault) {
    const ControllerService::Answer done = files_.controller->answer(method, request);
    if (fault.kind == "done-crash") std::abort();
    if (fault.kind == "done-error") return fail(fault.number, fault.text);
    if (done.code != 0) return fail(done.code, done.text);
    answer(done.text);
  }

  void fail(int code, const std::string& text) {
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
  grpc::Alarm alarm_;
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
  std::map<std::string, std::string> options = {{"--socket", ""},
                                                {"--answer", ""},
                                                {"--calls", ""},
                                                {"--name", ""},
                                                {"--volumes", ""},
                                                {"--faults", ""},
                                                {"--capabilities", "2,3,8,10,13"},
                                                {"--secret", ""}};
  bool is_known = arguments.size() % 2 == 0;
  for (size_t i = 0; is_known && i < arguments.size(); i += 2) {
    is_known = options.contains(arguments[i]);
    if (is_known) options[arguments[i]] = arguments[i + 1];
  }
  if (!is_known || options["--socket"].empty() || options["--answer"].empty() ||
      options["--calls"].empty()) {
    std::cerr
        << "usage: csi_driver --socket <path> --answer <file> --calls <file> [--name <driver>]"
           " [--volumes <file> [--faults <file>] [--capabilities 2,3] [--secret <key>=<value>]]\n";
    return 2;
  }
  longshore::test::Files files;
  files.answer = options["--answer"];
  files.calls = options["--calls"];
  if (!options["--name"].empty()) files.name = options["--name"];
  if (!options["--volumes"].empty()) {
    std::vector<uint64_t> capabilities;
    std::istringstream numbers(options["--capabilities"]);
    for (std::string number; std::getline(numbers, number, ',');) {
      capabilities.push_back(std::stoull(number));
    }
    files.controller = std::make_unique<longshore::test::ControllerService>(
        options["--volumes"], std::move(capabilities), options["--secret"]);
    files.faults = std::make_unique<longshore::test::FaultScript>(options["--faults"]);
  }
  longshore::test::Service service(files);
  return longshore::test::run_grpc_server(options["--socket"], service);
}
