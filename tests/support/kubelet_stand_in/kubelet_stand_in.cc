// The kubelet's plugin watcher, of the gRPC C++ library: for each new socket in a folder it asks
// who is there (GetInfo) and tells it what became of that (NotifyRegistrationStatus), as the first
// line of a file says at that moment:
//
//   true | false <text> | silent
//
// As the kubelet it looks at a socket once, unless it could not be asked: one of the same name is
// new if its inode, or the time at which that was made, is another. It adds a line to another file
// for each: "<name> <type> <endpoint> <version> <answer>", or "<file> failed <code>". Ends with
// SIGTERM.
//
//   kubelet_stand_in --folder <path> --answer <file> --log <file>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/wire_reader.h"
#include "tests/support/wire_writer.h"

namespace longshore::test {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kCallTime{10};
constexpr const char* kService = "/pluginregistration.Registration/";

struct Reply {
  grpc::Status status;
  std::string message;
};

Reply call(grpc::GenericStub& stub, const std::string& method, const std::string& request) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kCallTime);
  context.set_wait_for_ready(true);  // it may be bound, and not listen yet
  const grpc::Slice bytes(request);
  grpc::CompletionQueue queue;
  const auto reader =
      stub.PrepareUnaryCall(&context, kService + method, grpc::ByteBuffer(&bytes, 1), &queue);
  reader->StartCall();
  Reply reply;
  grpc::ByteBuffer response;
  reader->Finish(&response, &reply.status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  grpc::Slice slice;
  if (reply.status.ok() && response.DumpToSingleSlice(&slice).ok()) {
    reply.message.assign(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return reply;
}

std::string first(const std::vector<std::string>& texts) {
  return texts.empty() ? "-" : texts.front();
}

class Watcher {
  using Identity = std::tuple<ino_t, time_t, long>;

 public:
  Watcher(std::string folder, std::string answer, std::string log)
      : folder_(std::move(folder)), answer_(std::move(answer)), log_(std::move(log)) {}

  void look() {
    std::map<std::string, Identity> present;
    std::error_code gone;
    for (const auto& entry : fs::directory_iterator(folder_, gone)) {
      struct stat status {};
      if (lstat(entry.path().c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) continue;
      present[entry.path().filename().string()] = {status.st_ino, status.st_mtim.tv_sec,
                                                   status.st_mtim.tv_nsec};
    }
    for (auto each = present.begin(); each != present.end();) {
      const auto known = seen_.find(each->first);
      const bool is_new = known == seen_.end() || known->second != each->second;
      // One that went in the middle is as if it had not been seen.
      each = is_new && !greet(each->first) ? present.erase(each) : std::next(each);
    }
    seen_ = std::move(present);
  }

 private:
  // False: it could not be asked or told.
  bool greet(const std::string& name) {
    // Otherwise the library goes on with the connection to the socket that was there before.
    grpc::ChannelArguments options;
    options.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    const auto channel = grpc::CreateCustomChannel("unix:" + folder_ + '/' + name,
                                                   grpc::InsecureChannelCredentials(), options);
    grpc::GenericStub stub(channel);
    const Reply info = call(stub, "GetInfo", {});
    if (!info.status.ok()) return fail(name, info.status);
    const WireReader plugin(info.message);
    std::ifstream file(answer_);
    std::string answer;
    std::getline(file, answer);
    if (answer != "silent") {
      const std::string refusal = answer.starts_with("false ") ? answer.substr(6) : "";
      const WireWriter status =
          refusal.empty() ? WireWriter().number(1, 1) : WireWriter().text(2, refusal);
      const Reply told = call(stub, "NotifyRegistrationStatus", status.bytes());
      if (!told.status.ok()) return fail(name, told.status);
    }
    note(first(plugin.texts(2)) + ' ' + first(plugin.texts(1)) + ' ' + first(plugin.texts(3)) +
         ' ' + first(plugin.texts(4)) + ' ' + answer);
    return true;
  }

  bool fail(const std::string& name, const grpc::Status& status) const {
    note(name + " failed " + std::to_string(status.error_code()));
    return false;
  }
  void note(const std::string& line) const {
    std::ofstream(log_, std::ios::app) << line << std::endl;
  }

  const std::string folder_;
  const std::string answer_;
  const std::string log_;
  std::map<std::string, Identity> seen_;  // by name
};

}  // namespace
}  // namespace longshore::test

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  if (arguments.size() != 6 || arguments[0] != "--folder" || arguments[2] != "--answer" ||
      arguments[4] != "--log") {
    std::cerr << "usage: kubelet_stand_in --folder <path> --answer <file> --log <file>\n";
    return 2;
  }
  // Before the library starts its threads, so that all of them leave the signal to this one.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  longshore::test::Watcher watcher(arguments[1], arguments[3], arguments[5]);
  std::cout << "serving" << std::endl;
  const timespec pause{0, 10'000'000};
  do {
    watcher.look();
  } while (sigtimedwait(&signals, nullptr, &pause) < 0);
  return 0;
}
