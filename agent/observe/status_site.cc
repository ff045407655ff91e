#include "observe/status_site.h"

#include <charconv>
#include <string_view>
#include <utility>

#include "observe/log_line.h"
#include "observe/metrics_text.h"
#include "observe/status_json.h"
#include "observe/status_page.h"
#include "text/escape.h"

namespace longshore::observe {
namespace {

constexpr const char* kLeaderElectionPath = "/healthz/leader-election";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// The part of `text` before `separator`; the rest, without it, stays in `text`.
std::string_view next_part(std::string_view& text, char separator) {
  const size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return trimmed(part);
}

// How much the client wants `type`, in thousandths: 0 where its header Accept does not name it.
int preference(std::string_view accept, std::string_view type) {
  while (!accept.empty()) {
    std::string_view range = next_part(accept, ',');
    if (next_part(range, ';') != type) continue;
    while (!range.empty()) {
      std::string_view parameter = next_part(range, ';');
      if (!parameter.starts_with("q=")) continue;
      parameter.remove_prefix(2);
      double quality = 0;
      std::from_chars(parameter.data(), parameter.data() + parameter.size(), quality);
      return quality > 0 && quality <= 1 ? static_cast<int>(quality * 1000) : 0;  // also for nan
    }
    return 1000;
  }
  return 0;
}

bool wants_html(const HttpQuery& query) {
  const int html = preference(query.accept, "text/html");
  return html > 0 && html >= preference(query.accept, "application/json");
}

HttpPage status(const HttpQuery& query, const StatusReport& report) {
  const bool html = query.query.empty() ? wants_html(query) : query.query == "format=html";
  if (html) return {200, "text/html; charset=utf-8", status_page(report), {}};
  if (query.query.empty() || query.query == "format=json") {
    return {200, "application/json", status_json(report), {}};
  }
  return text_page(400, "The query may be format=json or format=html.\n");
}

HttpPage health(const StatusReport& report) {
  return text_page(report.serves() ? 200 : 503, report.serves() ? "ok\n" : report.state + '\n');
}

HttpPage election_health(const StatusReport& report) {
  if (report.leases.empty()) return text_page(404, "No controller runs by a lease.\n");
  for (const LeaseReport& lease : report.leases) {
    if (!lease.is_overdue()) continue;
    return text_page(500, "internal server error: failed election to renew leadership on lease " +
                              lease.name + '\n');
  }
  return text_page(200, "ok\n");
}

// As Kubernetes' components tell it: a line for each module and endpoint, also for
// those that serve badly.
HttpPage verbose_readiness(const StatusReport& report) {
  std::string text = std::string(report.serves() ? "[+]agent " : "[-]agent ") + report.state + '\n';
  for (const ModuleReport& module : report.modules) {
    text += (module.is_ready() ? "[+]module " : "[-]module ") + module.name + ' ';
    text += module.shown_state();
    if (!module.reason.empty()) text::append_escaped(text += ": ", module.reason, false);
    text += '\n';
  }
  for (const EndpointReport& endpoint : report.endpoints) {
    text += (endpoint.listens() ? "[+]endpoint " : "[-]endpoint ") + endpoint.name;
    text += endpoint.listens() ? " listening" : " not listening: ";
    text::append_escaped(text, endpoint.reason, false);
    text += '\n';
  }
  if (report.audit.is_on) {
    const bool is_written = report.audit.trouble.empty();
    text += is_written ? "[+]audit log is written" : "[-]audit log is not written: ";
    text::append_escaped(text, report.audit.trouble, false);
    text += '\n';
  }
  text += report.is_ready() ? "readyz check passed\n" : "readyz check failed\n";
  return text_page(report.is_ready() ? 200 : 503, std::move(text));
}

HttpPage readiness(const StatusReport& report) {
  std::string obstacles;
  if (!report.serves()) obstacles += "the agent is " + report.state + '\n';
  for (const ModuleReport& module : report.modules) {
    if (module.is_ready()) continue;
    obstacles += "the module " + module.name + " is " + module.state;
    if (!module.reason.empty()) text::append_escaped(obstacles += ": ", module.reason, false);
    obstacles += '\n';
  }
  for (const EndpointReport& endpoint : report.endpoints) {
    if (endpoint.listens()) continue;
    obstacles += "the endpoint " + endpoint.name + " does not listen: ";
    text::append_escaped(obstacles, endpoint.reason, false);
    obstacles += '\n';
  }
  if (!report.audit.trouble.empty()) {
    text::append_escaped(obstacles, report.audit.trouble, false);
    obstacles += '\n';
  }
  if (!report.is_ready()) return text_page(503, std::move(obstacles));
  return text_page(200, "ok\n" + obstacles);
}

HttpPage page_of(const HttpQuery& query, const StatusSource& report,
                 const std::string& metrics_path, const StatusSource& metrics_report) {
  if (query.path == metrics_path) {
    return {200, kMetricsContentType, metrics_text(metrics_report(), process_figures()), {}};
  }
  if (query.path == "/healthz") return health(report());
  if (query.path == kLeaderElectionPath) return election_health(report());
  if (query.path == "/readyz") {
    return query.query == "verbose" ? verbose_readiness(report()) : readiness(report());
  }
  if (query.path == "/status") return status(query, report());
  if (query.path == "/") return {302, "text/plain; charset=utf-8", "See /status.\n", "/status"};
  return text_page(404, "There are " + metrics_path + ", /healthz, /readyz and /status.\n");
}

}  // namespace

HttpPages status_site(StatusSource report, std::string metrics_path, StatusSource metrics_report) {
  if (!metrics_report) metrics_report = report;
  return [report = std::move(report), path = std::move(metrics_path),
          metrics_report = std::move(metrics_report)](const HttpQuery& query) {
    return page_of(query, report, path, metrics_report);
  };
}

}  // namespace longshore::observe
