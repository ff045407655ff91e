#include "observe/status_page.h"

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <string_view>

#include "observe/log_line.h"
#include "text/escape.h"

namespace longshore::observe {
namespace {

constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--faint:#5b6470;--line:#d8dde3;
--row:#f5f7f9;--good:#10692e;--bad:#b3181c}
@media(prefers-color-scheme:dark){:root{--ink:#e4e8ec;--paper:#15191e;--faint:#98a2ad;
--line:#323a43;--row:#1c2228;--good:#5fcf83;--bad:#ff8080}}
body{margin:0 auto;padding:1rem;max-width:75rem;color:var(--ink);background:var(--paper);
font:1rem/1.45 system-ui,sans-serif}
h1{font-size:1.5rem;margin:0 0 .3rem}h2{font-size:1.1rem;margin:2rem 0 .4rem}
p{margin:.2rem 0;color:var(--faint);overflow-wrap:anywhere}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%}
th,td{padding:.35rem .7rem;border-bottom:1px solid var(--line);text-align:left;
vertical-align:top}
th{font-weight:600;color:var(--faint);white-space:nowrap}
tbody tr:nth-child(even){background:var(--row)}
.number{text-align:right;font-variant-numeric:tabular-nums}
.text{min-width:14rem;overflow-wrap:anywhere}
.good{color:var(--good);font-weight:600}.bad{color:var(--bad);font-weight:600}
)css";

// Fit for text between tags and for attributes in quotes.
std::string escaped(std::string_view text) {
  std::string visible;
  text::append_escaped(visible, text, false);
  std::string html;
  for (const char c : visible) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

// How a cell looks: its class in the style.
enum class Look { kPlain, kText, kNumber, kGood, kBad };

struct Cell {
  std::string text;
  Look look = Look::kPlain;
};

Cell number(uint64_t value) { return {std::to_string(value), Look::kNumber}; }
// A number that ought to be 0.
Cell fault_count(uint64_t value) {
  return {std::to_string(value), value == 0 ? Look::kNumber : Look::kBad};
}
// That a controller waits is neither.
Cell state_cell(const ModuleReport& module) {
  const std::string state = module.shown_state();
  if (state == kWaiting) return {state, Look::kPlain};
  return {state, state == kServing ? Look::kGood : Look::kBad};
}

std::string_view class_of(Look look) {
  switch (look) {
    case Look::kText:
      return " class=\"text\"";
    case Look::kNumber:
      return " class=\"number\"";
    case Look::kGood:
      return " class=\"good\"";
    case Look::kBad:
      return " class=\"bad\"";
    case Look::kPlain:
      break;
  }
  return "";
}

class Page {
 public:
  void element(std::string_view tag, std::string_view text, Look look = Look::kPlain) {
    (((html_ += '<') += tag) += class_of(look)) += '>';
    ((html_ += escaped(text)) += "</") += tag;
    html_ += ">\n";
  }
  void raw(std::string_view html) { html_ += html; }

  void begin_table(std::string_view id, std::string_view title,
                   std::initializer_list<std::string_view> heads) {
    element("h2", title);
    ((html_ += "<div class=\"wide\"><table id=\"") += id) += "\">\n<thead><tr>\n";
    for (const std::string_view head : heads) element("th", head);
    html_ += "</tr></thead>\n<tbody>\n";
  }
  void row(std::initializer_list<Cell> cells) {
    html_ += "<tr>\n";
    for (const Cell& cell : cells) element("td", cell.text, cell.look);
    html_ += "</tr>\n";
  }
  void end_table() { html_ += "</tbody></table></div>\n"; }

  std::string take() { return std::move(html_); }

 private:
  std::string html_;
};

// "3 d 4 h", "5 min 10 s": its two largest units.
std::string duration_text(std::chrono::milliseconds duration) {
  const auto seconds = duration.count() / 1000;
  const auto two = [](int64_t large, const char* unit, int64_t small, const char* lesser) {
    return std::to_string(large) + ' ' + unit + ' ' + std::to_string(small) + ' ' + lesser;
  };
  if (seconds < 60) return std::to_string(seconds) + " s";
  if (seconds < 3600) return two(seconds / 60, "min", seconds % 60, "s");
  if (seconds < 86400) return two(seconds / 3600, "h", seconds / 60 % 60, "min");
  return two(seconds / 86400, "d", seconds / 3600 % 24, "h");
}

std::string milliseconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3f", seconds * 1000);
  return text;
}

std::string listed(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + text;
  return list;
}

void add_modules(Page& page, const StatusReport& report) {
  page.begin_table("modules", "Modules",
                   {"Module", "State", "Version", "Running", "Waiting", "Stuck", "Calls", "Failed",
                    "Uptime", "What it says"});
  for (const ModuleReport& module : report.modules) {
    if (module.is_controller) continue;
    page.row({{module.name, Look::kPlain},
              state_cell(module),
              {module.version, Look::kPlain},
              number(module.calls_running),
              number(module.calls_waiting),
              fault_count(module.calls_stuck),
              number(module.calls_total),
              number(module.calls_failed),
              {duration_text(module.uptime), Look::kPlain},
              {module.reason.empty() ? module.summary : module.reason, Look::kText}});
  }
  page.end_table();
}

void add_controllers(Page& page, const StatusReport& report) {
  const bool has_some = std::any_of(report.modules.begin(), report.modules.end(),
                                    [](const auto& module) { return module.is_controller; });
  if (!has_some) return;
  page.begin_table(
      "controllers", "Controllers",
      {"Controller", "State", "Since", "Restarts", "Version", "What it says", "Last failure"});
  for (const ModuleReport& module : report.modules) {
    if (!module.is_controller) continue;
    page.row({{module.name, Look::kPlain},
              state_cell(module),
              {module.since ? timestamp(*module.since) : "", Look::kPlain},
              number(module.restarts),
              {module.version, Look::kPlain},
              {module.reason.empty() ? module.summary : module.reason, Look::kText},
              {module.last_failure, Look::kText}});
  }
  page.end_table();
}

void add_endpoints(Page& page, const StatusReport& report) {
  page.begin_table("endpoints", "Endpoints",
                   {"Endpoint", "State", "Connections", "Address", "Services"});
  for (const EndpointReport& endpoint : report.endpoints) {
    page.row(
        {{endpoint.name, Look::kPlain},
         endpoint.listens() ? Cell{"listening", Look::kGood} : Cell{"not listening", Look::kBad},
         number(endpoint.connections),
         {endpoint.address, Look::kText},
         {endpoint.listens() ? listed(endpoint.services) : endpoint.reason, Look::kText}});
  }
  page.end_table();
}

void add_methods(Page& page, const StatusReport& report) {
  const bool called = std::any_of(report.methods.begin(), report.methods.end(),
                                  [](const auto& method) { return method->figures().started > 0; });
  if (!called) {
    page.element("h2", "Calls over the endpoints");
    return page.element("p", "None since the start.");
  }
  page.begin_table("methods", "Calls over the endpoints",
                   {"Method", "Calls", "Failed", "Running", "Mean ms"});
  for (const auto& method : report.methods) {
    const MethodMetrics::Figures figures = method->figures();
    if (figures.started == 0) continue;
    const uint64_t running =
        figures.started > figures.handled ? figures.started - figures.handled : 0;
    const double mean =
        figures.handled == 0 ? 0 : figures.seconds / static_cast<double>(figures.handled);
    page.row({{method->service() + '/' + method->method(), Look::kPlain},
              number(figures.started),
              number(figures.failed),
              number(running),
              {milliseconds_text(mean), Look::kNumber}});
  }
  page.end_table();
}

// The newest first.
void add_problems(Page& page, const StatusReport& report) {
  if (report.problems.empty()) {
    page.element("h2", "Recent warnings and errors");
    return page.element("p", "None since the start.");
  }
  page.begin_table("problems", "Recent warnings and errors",
                   {"Time", "Level", "Module", "Request", "Message"});
  for (auto line = report.problems.rbegin(); line != report.problems.rend(); ++line) {
    page.row({{timestamp(line->time), Look::kPlain},
              {std::string(name_of(line->level)),
               line->level == Level::kError ? Look::kBad : Look::kPlain},
              {std::string(line->field("module")), Look::kPlain},
              {std::string(line->field("request")), Look::kPlain},
              {line->text, Look::kText}});
  }
  page.end_table();
}

}  // namespace

std::string status_page(const StatusReport& report) {
  const std::string title = "Longshore on " + report.host_name + ": " + report.state;
  Page page;
  page.raw(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
  page.element("title", title);
  page.raw("<style>");
  page.raw(kStyle);
  page.raw("</style>\n</head>\n<body>\n");
  page.element("h1", title);
  page.element("p", "Version " + report.version + ", up for " + duration_text(report.uptime) +
                        ", process " + std::to_string(report.process_id) + ", configured by " +
                        listed(report.config_files));
  if (!report.audit.trouble.empty()) {
    page.element("h2", "Audit log");
    page.element("p", report.audit.trouble, Look::kBad);
  }
  add_modules(page, report);
  add_controllers(page, report);
  add_endpoints(page, report);
  add_methods(page, report);
  add_problems(page, report);
  page.raw(
      "<p>The same for programs: <a href=\"/status?format=json\">/status</a>, "
      "<a href=\"/metrics\">/metrics</a>, <a href=\"/healthz\">/healthz</a>, "
      "<a href=\"/readyz\">/readyz</a></p>\n</body>\n</html>\n");
  return page.take();
}

}  // namespace longshore::observe
