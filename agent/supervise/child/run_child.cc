#include "supervise/child/run_child.h"

#include <google/protobuf/stubs/logging.h>

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "longshore/abi.h"
#include "supervise/child/hosted_module.h"
#include "supervise/child/inherited_pipes.h"
#include "supervise/child/loaded_image.h"
#include "supervise/child/restrictions.h"
#include "supervise/handshake.h"

namespace longshore::supervise {
namespace {

// Exit statuses.
constexpr int kNotStarted = 1;
constexpr int kPipesLost = 2;

// The agent is trusted, and has limits of its own for what it sends.
constexpr size_t kMaxFrameBytes = size_t{2} << 30;
// What the agent has not read waits in this process's own memory, which is bounded as a whole.
constexpr size_t kMaxWaitingBytes = std::numeric_limits<size_t>::max() / 2;

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
  return LoadedImage::load(std::move(facts));
}

class Child {
 public:
  // Without its pipes it is of no use to anybody; a module that closes descriptors of others may
  // have closed them.
  explicit Child(std::unique_ptr<PipeTransport> ends)
      : agent_(std::move(ends), {kMaxFrameBytes, kMaxWaitingBytes},
               [] { std::_Exit(kPipesLost); }) {}

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

  FrameChannel agent_;
  std::unique_ptr<HostedModule> module_;
};

}  // namespace

int run_child() {
  auto ends = take_inherited_pipes();
  if (!ends) {
    std::fputs(
        "longshore-modulehost: longshored starts it, for a module with "
        "isolation = \"process\"\n",
        stderr);
    return kNotStarted;
  }
  google::protobuf::SetLogHandler(nullptr);
  auto* child =
      new Child(std::move(*ends));  // never destroyed: the module's threads may be anywhere
  child->serve();
  return are_pipes_open() ? 0 : kPipesLost;
}

}  // namespace longshore::supervise
