#include "sidecars/upstream_flags.h"

#include <algorithm>
#include <array>

namespace longshore::sidecars {
namespace {

constexpr std::array kGeneric = {
    UpstreamFlag{"csi-address"},
    UpstreamFlag{"timeout"},
    UpstreamFlag{"http-endpoint"},
    UpstreamFlag{"master"},
    UpstreamFlag{"leader-election", true},
    UpstreamFlag{"leader-election-namespace"},
    UpstreamFlag{"leader-election-lease-duration"},
    UpstreamFlag{"leader-election-renew-deadline"},
    UpstreamFlag{"leader-election-retry-period"},
    UpstreamFlag{"leader-election-labels"},
    UpstreamFlag{"feature-gates", false, "no enabled controller has such a gate"},
    UpstreamFlag{"resync", false,
                 "no change of an object is lost here, so that none is looked at again"},
    UpstreamFlag{"resync-period"},
    UpstreamFlag{"retry-interval-start"},
    UpstreamFlag{"retry-interval-max"},
    UpstreamFlag{"worker-threads"},
};

constexpr std::array kHistorical = {
    // Of the sidecars'.
    UpstreamFlag{"automaxprocs", true},
    UpstreamFlag{"connection-timeout"},
    UpstreamFlag{"csi-timeout"},
    UpstreamFlag{"csiTimeout"},
    UpstreamFlag{"dummy", true},
    UpstreamFlag{"enable-leader-election", true},
    UpstreamFlag{"enable-pprof", true},
    UpstreamFlag{"leader-election-type"},
    UpstreamFlag{"max-grpc-log-length"},
    UpstreamFlag{"mode"},
    UpstreamFlag{"provisioner"},
    UpstreamFlag{"snapshotter"},
    // Of the libraries' that they log with.
    UpstreamFlag{"add_dir_header", true},
    UpstreamFlag{"alsologtostderr", true},
    UpstreamFlag{"legacy_stderr_threshold_behavior", true},
    UpstreamFlag{"log-flush-frequency"},
    UpstreamFlag{"log-json-info-buffer-size"},
    UpstreamFlag{"log-json-split-stream", true},
    UpstreamFlag{"log-text-info-buffer-size"},
    UpstreamFlag{"log-text-split-stream", true},
    UpstreamFlag{"log_backtrace_at"},
    UpstreamFlag{"log_dir"},
    UpstreamFlag{"log_file"},
    UpstreamFlag{"log_file_max_size"},
    UpstreamFlag{"logtostderr", true},
    UpstreamFlag{"one_output", true},
    UpstreamFlag{"skip_headers", true},
    UpstreamFlag{"skip_log_headers", true},
    UpstreamFlag{"stderrthreshold"},
    UpstreamFlag{"vmodule"},
};

}  // namespace

std::span<const UpstreamFlag> generic_flags() { return kGeneric; }

std::span<const UpstreamFlag> historical_flags() { return kHistorical; }

const UpstreamFlag* find_flag(std::span<const UpstreamFlag> flags, std::string_view name) {
  const auto found = std::ranges::find(flags, name, &UpstreamFlag::name);
  return found == flags.end() ? nullptr : &*found;
}

}  // namespace longshore::sidecars
