// longshore.host.v1.Kube: the Kubernetes API server for controllers, and when these may run, and
// write, that need a lease. See the proto.
//
//   not connected ──the first call that finds a configuration──► connected
//
// Threads: any. The first call or condition makes the loop, which loads a library: it reads files,
// looks up the users of trusted_owners, and has all others wait. Nothing else blocks. One thread of
// its own, from then on, does all that concerns the server. Owner: the host services; calls share
// it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "kube/api_access.h"
#include "kube/api_loop.h"
#include "kube/asked_request.h"
#include "kube/informers.h"
#include "kube/leader_elections.h"
#include "kube/timing.h"
#include "kube/watch_stream.h"
#include "longshore/result.hpp"
#include "observe/status_report.h"
#include "services/host_service_target.h"

namespace longshore::kube {

class KubeService final : public services::HostServiceTarget {
 public:
  // That are under way: so many requests, and so many watches. A controller may have no more of
  // either than there are places left then, half of them where it is alone: whatever it waits for,
  // others find a place.
  static constexpr size_t kMaxCalls = 256;

  // Where the server is talked to. A test has its own.
  using MakeLoop = std::function<Result<std::unique_ptr<ApiLoop>>(const config::AgentSettings&)>;

  // `drivers`: needed where leases are named after some; what is behind them ends before this does.
  static Result<std::shared_ptr<KubeService>> make(LeaseDrivers drivers = {},
                                                   MakeLoop make_loop = make_loaded_loop);
  explicit KubeService(loader::ModuleDescription description)
      : HostServiceTarget(std::move(description)) {}
  ~KubeService() override { KubeService::stop(); }

  bool for_modules() const override { return true; }
  void add_to(observe::StatusReport& report) const override {
    report.kube_requests = metrics_->report();
    report.leases = elections_.leases();
  }
  void start(router::Timers& timers, observe::Log& log,
             const services::CurrentConfiguration& configuration) override;
  // Gives leases back. Ends the thread; no call is made from then on. Twice is harmless.
  void stop() override;
  void on_writable(router::Call& call) override;
  void on_end(router::Call& call) override;

  std::shared_ptr<services::RunCondition> run_condition(
      const config::ModuleSettings& controller) override {
    return elections_.condition(controller);
  }
  void modules_changed(const services::ModuleStates& modules) override;

 private:
  // What is under way: a request or a watch.
  struct Running {
    std::shared_ptr<router::Call> call;
    bool is_watch = false;
    std::shared_ptr<Call> request;
    std::shared_ptr<WatchStream> stream;
    Selection watched;  // of the stream
  };
  // The server does not allow a watch. Those who ask again soon are answered so: where only the
  // watch is refused, each would have it list everything before.
  struct Refusal {
    std::string cause;
    std::chrono::steady_clock::time_point until;
  };

  static Result<std::unique_ptr<ApiLoop>> make_loaded_loop(const config::AgentSettings& agent);

  // Takes the call in: from then on it is the thread's.
  Result<void> begin(router::Call& call) override;
  // On the thread, if there is one.
  void post(std::function<void()> function);
  // The same, and the loop is made and its thread begun if there is none yet.
  Result<void> post_at_once(std::function<void()> function);

  // These run on the thread.
  void run(const std::shared_ptr<router::Call>& call, AskedRequest asked);
  Result<void> find_place(const std::string& controller, bool is_watch) const;
  Result<void> connect();
  Result<std::unique_ptr<ApiAccess>> new_access();
  Result<ApiAccess*> access_to_leases();
  void answer(router::Call& call, const AskedRequest& asked, Outcome outcome);
  Result<std::string> reply_of(const AskedRequest& asked, const std::string& body);
  // Tells those who watch it.
  void take(const AskedRequest& asked, const Object& object);
  void told(const Selection& selection, const Reflector::State& state);
  static void tell(WatchStream& stream, const Reflector::State& state);
  void told(const std::string& sentence, bool is_loss);
  void refuse(const Selection& selection, const std::string& cause);
  // The server forbids what the caller asks for: as the caller is told it.
  void finish_forbidden(router::Call& call, const std::string& cause);
  void begin_watch(Running& running, const AskedRequest& asked);
  void end_calls();

  const std::shared_ptr<observe::KubeRequestMetrics> metrics_ =
      std::make_shared<observe::KubeRequestMetrics>();
  MakeLoop make_loop_;
  services::CurrentConfiguration configuration_;
  observe::Log* log_ = nullptr;
  std::unique_ptr<ApiLoop> loop_;      // made under the mutex, and kept
  std::unique_ptr<ApiAccess> access_;  // from the first call on that finds a configuration
  std::unique_ptr<ApiAccess> access_to_leases_;  // its own connections
  std::unique_ptr<Informers> informers_;
  LeaderElections elections_{
      {.timing = [this]() -> Timing& { return loop_->timing(); },
       .access = [this] { return access_to_leases(); },
       .post = [this](std::function<void()> function) { return post_at_once(std::move(function)); },
       .tell = [this](const std::string& sentence, bool is_loss) { told(sentence, is_loss); }}};
  std::map<uint64_t, Running> running_;  // by handle, until they are over
  std::map<Selection, Refusal> refusals_;

  std::mutex mutex_;
  bool is_stopped_ = false;
  std::thread thread_;
  std::map<std::string, std::string> role_files_;  // by controller
};

}  // namespace longshore::kube
