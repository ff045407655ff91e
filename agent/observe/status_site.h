// The paths of the status endpoint. Nothing here changes anything.
//
//   /metrics   for Prometheus, or wherever else that is to be
//   /healthz   200 while the agent serves, 503 when it is ending
//   /healthz/leader-election   of an agent whose controllers run by leases, as client-go serves it:
//              500 where it believes to have one that ended more than 20 s ago, since what renews
//              it hangs; else 200
//   /readyz    200 while a module serves too, or is a controller that waits, and an endpoint
//              listens; with agent.strict only while all do; else 503. A line for each that does
//              not; with ?verbose one for each
//   /status    JSON, or a page for people where the client would rather have HTML, or as
//              ?format=json and ?format=html say
//   /          leads to /status
#pragma once

#include <functional>
#include <string>

#include "observe/http_page.h"
#include "observe/status_report.h"

namespace longshore::observe {

using StatusSource = std::function<StatusReport()>;

// `report` is asked anew for every page, on the thread that asks for the page. `metrics_report`:
// in its place for the metrics, with what is only told there; null: they have no such thing.
HttpPages status_site(StatusSource report, std::string metrics_path = "/metrics",
                      StatusSource metrics_report = nullptr);

}  // namespace longshore::observe
