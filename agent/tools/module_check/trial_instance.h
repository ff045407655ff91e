// One instance in a test: made, started, called, stopped and destroyed, with real time.
//
// Owner: a test. Threads: the test's; `call` any while the instance serves.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "longshore/testing/fake_host.hpp"
#include "tools/module_check/random.h"
#include "tools/module_check/report.h"
#include "tools/module_check/run_apart.h"
#include "tools/module_check/subject.h"

namespace longshore::module_check {

// What each test has: what to check, where to say what it does, its random choices, its findings.
struct Trial {
  const Subject& subject;
  Steps& steps;
  Random random;
  Findings findings;
};

// How a call came out.
struct Answer {
  bool is_finished = false;
  StatusCode code = StatusCode::kUnknown;
  std::string text;
  std::vector<std::string> messages;
  std::chrono::nanoseconds took{};
};

// How long a call may take in these tests before it is cancelled, and then until it is finished.
inline constexpr std::chrono::milliseconds kCallTime{200};
inline constexpr std::chrono::seconds kCancelTime{2};

class TrialInstance {
 public:
  // Loads the module, if it is not, and creates an instance. `entry`: as watch() gives it.
  explicit TrialInstance(Trial& trial, const longshore_module_entry* entry = nullptr);
  ~TrialInstance();
  TrialInstance(const TrialInstance&) = delete;
  TrialInstance& operator=(const TrialInstance&) = delete;

  // With the settings of the command line. False, and said in the findings, when it does not serve.
  bool start(const std::string& handover = {});
  // The same, and with these bytes as settings; the module's answer is no finding.
  Result<void> try_start(const std::string& handover);
  Result<void> start_bytes(std::string settings);

  Answer call(const std::string& method, const std::string& request,
              std::chrono::nanoseconds time = kCallTime, uint32_t credit = 16,
              bool described_only = true);

  // Stops the instance, which must serve, and gives its handover.
  std::string stop();
  // Stops it if it serves, destroys it, waits so long for what comes too late, and takes down all
  // that it did against the contract.
  void end(std::chrono::milliseconds late = {});

  // Whether it has kept to the contract so far. A test that has found something goes on no more.
  bool is_clean() const { return host_->violations().empty(); }
  size_t logged() const { return host_->log().size(); }

 private:
  void keep_time();
  void end_time();

  Trial& trial_;
  std::unique_ptr<testing::FakeHost> host_;
  std::atomic<bool> is_over_{false};
  std::thread clock_;
  std::mutex mutex_;
  std::string culprit_;  // the call after which it had broken the contract
};

// Loads the file into this process; once.
const longshore_module_entry& load(Trial& trial);

// "calling acme.shelf.v1.Shelf/GetBox with 0a0161"
std::string description_of_call(const std::string& method, const std::string& request);

}  // namespace longshore::module_check
