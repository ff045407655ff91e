// Measures PathExists three ways in one run: as the bare system call behind it, through
// liblongshore in this process, and over the socket of a running agent.
//
//   in_process_bench <agent.toml> <path> <socket>
//
// The path is <allowed root>/<directory>/<name>.
// The ways take turns, so that a noisy machine hits all of them; what is printed is the median of
// the rounds' means, in nanoseconds.
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <string>
#include <vector>

#include "filesystem/v1.pb.h"
#include "longshore/agent.hpp"
#include "tests/support/test_client.h"

namespace longshore::bench {
namespace {

constexpr int kRounds = 11;

// Stops the bench when an answer is not what it must be: a wrong answer has no speed.
void require(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "in_process_bench: %s gave a wrong answer\n", what);
  std::exit(1);
}

class Way {
 public:
  Way(const char* name, int calls, std::function<void()> call)
      : name_(name), calls_(calls), call_(std::move(call)) {}

  void take_turn() {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls_; ++i) call_();
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    means_.push_back(time.count() / calls_);
  }

  double median() const {
    std::vector<double> sorted = means_;
    std::ranges::sort(sorted);
    return sorted[sorted.size() / 2];
  }

  void print(double bare) const {
    std::printf("%-44s %10.0f %10.0f\n", name_, median(), median() - bare);
  }

 private:
  const char* name_;
  const int calls_;
  const std::function<void()> call_;
  std::vector<double> means_;
};

void run(EmbeddedAgent& agent, const std::string& path, const std::string& socket) {
  ApiGroup filesystem = agent.group("v1.Filesystem");
  test::TestClient client(socket);
  const auto request = [&] {
    v1::PathExistsRequest message;
    message.set_path(path);
    return message;
  };

  std::vector<Way> ways;
  ways.emplace_back("lstat", 50'000, [&] {
    struct stat status;
    require(lstat(path.c_str(), &status) == 0, "lstat");
  });
  // What the module does so that no link leads out of its roots.
  const size_t slash = path.rfind('/');
  const std::string name = path.substr(slash + 1);
  const std::string parent = path.substr(0, slash);
  const size_t parent_slash = parent.rfind('/');
  const std::string root = parent.substr(0, parent_slash);
  const std::string below = parent.substr(parent_slash + 1);
  ways.emplace_back("the module's five system calls", 50'000, [&] {
    open_how how{};
    how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    const int opened = open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    const auto directory =
        static_cast<int>(syscall(SYS_openat2, opened, below.c_str(), &how, sizeof(how)));
    close(opened);
    struct statx status;
    require(statx(directory, name.c_str(), AT_SYMLINK_NOFOLLOW, STATX_TYPE, &status) == 0, "statx");
    close(directory);
  });
  ways.emplace_back("in-process, waiting, with encode and decode", 50'000, [&] {
    const auto response = filesystem.call<v1::PathExistsResponse>("PathExists", request());
    require(response && response->exists(), "the in-process call");
  });
  ways.emplace_back("in-process, being told (module's pool)", 5'000, [&] {
    std::promise<bool> exists;
    filesystem.start<v1::PathExistsResponse>("PathExists", request(), [&](auto response) {
      exists.set_value(response && response->exists());
    });
    require(exists.get_future().get(), "the started call");
  });
  ways.emplace_back("over the socket, waiting", 5'000, [&] {
    const auto answer = client.call("v1.Filesystem/PathExists", request().SerializeAsString());
    v1::PathExistsResponse response;
    require(answer->code() == StatusCode::kOk && response.ParseFromString(answer->messages.at(0)) &&
                response.exists(),
            "the socket's call");
  });

  for (Way& way : ways) way.take_turn();  // warms up; its turn counts as one of many
  for (int round = 1; round < kRounds; ++round) {
    for (Way& way : ways) way.take_turn();
  }
  std::printf("%-44s %10s %10s\n", "PathExists", "ns", "over lstat");
  for (const Way& way : ways) way.print(ways.front().median());
}

}  // namespace
}  // namespace longshore::bench

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: in_process_bench <agent.toml> <path> <socket>\n");
    return 2;
  }
  auto agent = longshore::EmbeddedAgent::from_file(argv[1]);
  if (!agent) {
    std::fprintf(stderr, "in_process_bench: %s\n", agent.error().message().c_str());
    return 1;
  }
  longshore::bench::run(*agent, argv[2], argv[3]);
  return 0;
}
