// What the hostile modules meet: a router, its timers and a log, as in the agent.
//
// Some of the modules leave threads behind that hang for good. So the world, and every instance
// that could not be ended, lives until the process ends.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "loader/image.h"
#include "loader/instance.h"
#include "router/router.h"
#include "tests/support/eventually.h"

namespace longshore::hostile {

using test::eventually;

constexpr size_t kMaxMessageBytes = 1 << 20;
constexpr size_t kMaxImages = 1000;
// The deadline of a call that hangs in its module: on a busy machine too it gets there before.
constexpr std::chrono::seconds kTimeToReachModule{1};

struct World {
  static World& get();

  // Whether a line with `text` is in the log, now or soon.
  bool logged(const std::string& text) const;
  size_t count_logged(const std::string& text) const;

  std::string log_file;
  std::unique_ptr<observe::Log> log;
  router::Timers timers;
  router::Router router;

 private:
  World();
};

// The file of a module of this folder: "wrong_magic".
std::string file_of(const std::string& module);

struct Answer {
  StatusCode code = StatusCode::kUnknown;
  std::string text;
  std::string message;
};

// A loaded module with an instance, which is made but not started.
class Subject {
 public:
  explicit Subject(const std::string& module, loader::InstanceOptions options = {});

  // Makes it serve; the test fails if it does not.
  Subject& started();

  // Of the method that `call` calls.
  void make_long_running(bool is_so = true) { is_long_running_ = is_so; }
  Answer call(const std::string& request = {},
              std::chrono::nanoseconds timeout = std::chrono::seconds(30));

  // Asks the instance to stop within a short time. The message of the error, or nothing.
  std::string stop(std::chrono::milliseconds time = std::chrono::seconds(10));

  loader::Instance& instance() { return *instance_; }
  // Lets go of it.
  void release() { instance_.reset(); }

 private:
  std::shared_ptr<loader::Instance> instance_;
  bool is_long_running_ = false;
};

// Why a module of this folder cannot be loaded; the test fails if it can.
Error load_error(const std::string& file);
// Why there can be no instance of it.
Error create_error(const std::string& module, loader::InstanceOptions options = {});

}  // namespace longshore::hostile
