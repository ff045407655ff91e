// What clients of an agent in trouble were told, and whether it is so.
//
// Threads: one.
#pragma once

#include <boost/system/system_error.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

#include "tests/support/agent_process.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"

namespace longshore::test {

struct Outcome {
  StatusCode code = StatusCode::kUnavailable;  // when there was no connection
  std::string message = {};                    // the last
};

// Connections that the agent has ended, so far.
inline int ended_connections = 0;

inline Outcome call(TestClient& client, const std::string& method, const std::string& request) {
  const auto answer = client.call(method, request, with_timeout(std::chrono::seconds(20)));
  CHECK(answer->code() != StatusCode::kDeadlineExceeded);
  if (client.closed()) ++ended_connections;
  return {answer->code(), answer->messages.empty() ? "" : answer->messages.back()};
}

inline Outcome call(const std::string& socket, const std::string& method,
                    const std::string& request) {
  try {
    TestClient client(socket);
    return call(client, method, request);
  } catch (const boost::system::system_error&) {
    ++ended_connections;
    return {};
  }
}

// Directories that callers were told are made.
class Directories {
 public:
  explicit Directories(const AgentDirectory& directory) : directory_(directory) {}

  // Asks for another one; its path, made or not.
  std::string make() {
    const std::string path = directory_.root() + "/" + std::to_string(++number_);
    const auto made =
        call(directory_.filesystem_socket("v1"), "v1.Filesystem/Mkdir", WireWriter().text(1, path));
    if (made.code == StatusCode::kOk) made_.insert(path);
    return path;
  }

  void check() const {
    CHECK_FALSE(made_.empty());
    for (const std::string& path : made_) CHECK(std::filesystem::exists(path));
  }

 private:
  const AgentDirectory& directory_;
  std::set<std::string> made_;
  uint64_t number_ = 0;
};

// What was changed by a call, which may have been answered.
class Changed {
 public:
  void reach(const std::string& wanted, bool is_acknowledged) {
    wanted_ = wanted;
    if (is_acknowledged) before_ = wanted;
    acknowledged_ += is_acknowledged ? 1 : 0;
  }
  // It is what was acknowledged, or else one of the two.
  void check(const std::string& now) {
    CAPTURE(before_, wanted_, now);
    CHECK((wanted_.empty() || now == before_ || now == wanted_));
    before_ = now;
  }
  bool is_changed() const { return !wanted_.empty(); }
  int acknowledged() const { return acknowledged_; }

 private:
  std::string before_, wanted_;
  int acknowledged_ = 0;
};

}  // namespace longshore::test
