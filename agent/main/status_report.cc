#include "main/status_report.h"

#include <utility>

namespace longshore {
namespace {

void add_figures(const loader::Instance& instance, observe::ModuleReport& report) {
  const loader::Instance::Figures figures = instance.figures();
  report.state = loader::name_of(figures.state);
  if (!figures.reason.empty()) report.reason = figures.reason;
  report.calls_running = figures.running;
  report.calls_waiting = figures.waiting;
  report.calls_stuck = figures.stuck;
  report.calls_total = figures.total;
  report.calls_failed = figures.failed;
  report.threads = figures.threads;
  report.uptime = figures.uptime;
}

}  // namespace

std::vector<observe::ModuleReport> module_reports(const embed::ModuleSet& modules) {
  std::vector<observe::ModuleReport> reports;
  for (const auto& entry : modules.list()) {
    observe::ModuleReport& report = reports.emplace_back();
    report.name = entry.settings.name;
    report.library = entry.facts->name;
    report.version = entry.facts->version;
    report.vendor = entry.facts->vendor;
    report.summary = entry.facts->description.summary;
    report.file = entry.facts->path;
    report.sha256 = entry.facts->sha256;
    report.state = "failed";
    report.reason = entry.failure;
    if (entry.instance) add_figures(*entry.instance, report);
  }
  return reports;
}

}  // namespace longshore
