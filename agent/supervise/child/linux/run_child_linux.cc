#include <fcntl.h>
#include <google/protobuf/stubs/logging.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "longshore/abi.h"
#include "supervise/child/hosted_module.h"
#include "supervise/child/linux/loaded_image.h"
#include "supervise/child/linux/restrictions.h"
#include "supervise/child/run_child.h"
#include "supervise/linux/child_process.h"
#include "supervise/versions.h"

namespace longshore::supervise {
namespace {

// Exit statuses.
constexpr int kNotStarted = 1;
constexpr int kSocketLost = 2;

// The agent is trusted, and has limits of its own for what it sends.
constexpr size_t kMaxFrameBytes = size_t{2} << 30;

bool is_socket(int descriptor) {
  int type = 0;
  socklen_t size = sizeof(type);
  return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
}

Result<std::shared_ptr<LoadedImage>> prepare(const child::v1::Hello& hello) {
  if (auto same = check_versions(hello, "the agent", "the module host"); !same) {
    return std::move(same).error();
  }
  if (auto restricted = restrict_process(hello.restrictions()); !restricted) {
    return std::move(restricted).error();
  }
  auto facts = std::make_shared<loader::ModuleFacts>();
  facts->name = hello.module();
  facts->sha256 = hello.sha256();
  return LoadedImage::load(kImageDescriptor, std::move(facts));
}

class Child {
 public:
  // Without its socket it is of no use to anybody; a module that closes descriptors of others may
  // have closed it.
  Child()
      : agent_(Descriptor(kSocketDescriptor), kMaxFrameBytes, [] { std::_Exit(kSocketLost); }) {}

  void serve() {
    static_cast<void>(agent_.serve(
        [this](const Frame& frame) { return module_ ? module_->on_frame(frame) : greet(frame); }));
  }

 private:
  bool greet(const Frame& frame) {
    const auto hello = head_of<child::v1::Hello>(frame);
    if (frame.type != FrameType::kHello || !hello) return false;
    auto code = prepare(*hello);
    auto ready = with_own_versions<child::v1::Ready>();
    if (!code) ready.set_refusal(code.error().message());
    agent_.send(FrameType::kReady, 0, ready);
    if (!code) return false;
    module_ = std::make_unique<HostedModule>(agent_, *hello, std::move(*code));
    return true;
  }

  FrameSocket agent_;
  std::unique_ptr<HostedModule> module_;
};

}  // namespace

int run_child() {
  if (!is_socket(kSocketDescriptor)) {
    constexpr char kWhy[] =
        "longshore-modulehost: longshored starts it, for a module with "
        "isolation = \"process\"\n";
    static_cast<void>(write(STDERR_FILENO, kWhy, sizeof(kWhy) - 1));
    return kNotStarted;
  }
  // Nothing of it is for programs that the module starts.
  fcntl(kSocketDescriptor, F_SETFD, FD_CLOEXEC);
  fcntl(kImageDescriptor, F_SETFD, FD_CLOEXEC);
  signal(SIGPIPE, SIG_IGN);
  google::protobuf::SetLogHandler(nullptr);
  auto* child = new Child;  // never destroyed: threads of the module may be anywhere
  child->serve();
  return 0;
}

}  // namespace longshore::supervise
