// The metrics in the text that Prometheus reads (format 0.0.4).
//
//   grpc_server_*            the series of csi-proxy: names, labels, their order and the buckets
//   csi_sidecar_*            calls of CSI drivers, as the Kubernetes sidecars have them
//   leader_election_*        the leases that controllers run by: client-go's series
//   rest_client_*            requests to the Kubernetes API server: client-go's series
//   workqueue_*              work queues of controllers: client-go's series, with a label for the
//                            controller, of which two may have a queue of one name
//   longshore_*              the agent, its modules and endpoints
//   process_*                the process, by Prometheus' usual names
//
// A method appears with its first call; its duration by module is in grpc_server_handling_seconds.
#pragma once

#include <string>

#include "observe/process_figures.h"
#include "observe/status_report.h"

namespace longshore::observe {

inline constexpr const char* kMetricsContentType = "text/plain; version=0.0.4; charset=utf-8";

std::string metrics_text(const StatusReport& report, const ProcessFigures& process);

}  // namespace longshore::observe
