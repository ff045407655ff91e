// Answers GET /healthz with whether the CSI driver is ready, which it asks the driver each time.
//
//   request ──► probing ──the driver answers──► all who wait are answered
//                  └──all who wait have gone──► the probe is cancelled
//
// One probe is under way at most, on a connection of its own, so that it fails where nobody could
// connect any more; who asks meanwhile gets its answer.
//
// Threads: `start` and `stop` the module's control; the rest runs as [completion]s, one after the
// other, so it needs no lock. Owner: the module.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "longshore/client.hpp"
#include "longshore/host/csi.pb.h"
#include "longshore/host/http.pb.h"
#include "longshore/watch.hpp"

namespace longshore::livenessprobe {

class LivenessProbe {
 public:
  struct Options {
    std::string csi_address;
    std::string http_address;
    std::chrono::nanoseconds probe_timeout{};
    std::string probe_timeout_name;  // in texts
    std::function<void(longshore_log_level level, std::string_view text)> log;
    std::function<void(std::string_view reason)> set_degraded;
  };

  // `host` is Module::host().
  LivenessProbe(const longshore_host* host, Options options);

  void start();
  void stop();

 private:
  void hear(const host::v1::HttpEvent& event);
  void probe();
  host::v1::CsiCallRequest call_of(const char* method) const;
  // After which the agent's metrics have the driver's name.
  void ask_for_name();
  // Of a probe that has ended: why the driver is not healthy; empty: it is.
  std::string trouble_of(const Result<void>& end) const;
  // Each change of what a probe finds makes the controller degraded or well, which the agent logs.
  void tell(const std::string& trouble);
  void tell_how_it_goes() const;
  void respond(uint64_t id, const std::string& trouble) const;

  const Options options_;
  const Client client_;
  std::set<uint64_t> waiting_;  // requests
  bool is_probing_ = false;
  bool has_asked_for_name_ = false;  // since the driver was not healthy
  std::string response_;             // of the driver
  std::string driver_trouble_;       // of the last probe; empty: it is healthy, or was never asked
  std::string page_trouble_;         // why nobody can ask; empty: they can
  Subscription probe_;
  Subscription plugin_info_;
  Watch page_;  // last: it is ended first
};

}  // namespace longshore::livenessprobe
