// Reports as an agent makes them, with what clients and modules may have put into them.
#pragma once

#include <memory>
#include <utility>

#include "observe/status_report.h"

namespace longshore::observe {

inline ModuleReport module_report(std::string name, std::string state, std::string reason = {}) {
  ModuleReport module;
  module.name = std::move(name);
  module.library = "longshore-" + module.name;
  module.version = "0.1.0";
  module.summary = "What it is for.";
  module.state = std::move(state);
  module.reason = std::move(reason);
  return module;
}

// A node with one module that serves and one that failed, and a call that went wrong.
inline StatusReport sample_report() {
  StatusReport report;
  report.host_name = "node-7";
  report.version = "0.1.0";
  report.state = "serving";
  report.process_id = 42;
  report.uptime = std::chrono::hours(30);
  report.config_files = {"/etc/longshore/agent.toml"};
  report.modules = {module_report("disk", "serving"),
                    module_report("volume", "failed", "no <disk>")};
  report.endpoints = {{"disk-v1", "unix:///run/disk.sock", {"v1.Disk"}, 3}};
  const auto method = std::make_shared<MethodMetrics>("v1.Disk", "Rescan", false);
  method->started();
  method->handled(StatusCode::kInternal, std::chrono::milliseconds(2));
  report.methods = {method};
  report.problems = {{std::chrono::system_clock::time_point(std::chrono::seconds(1795235495)),
                      Level::kError,
                      "cannot open \"x\"",
                      {{"module", "disk"}, {"request", "abc-1"}}}};
  return report;
}

// A text that tries to leave wherever it is put.
inline const std::string kHostileText =
    "<script>alert(1)</script>\"'&amp;\n\\\"},{\x01\xff</td></table><!-- \xe2\x80\xae";

// The same with that text in everything that modules, clients and the node choose.
inline StatusReport hostile_report() {
  StatusReport report = sample_report();
  report.host_name = kHostileText;
  report.config_files = {kHostileText};
  ModuleReport& module = report.modules.front();
  module.name = module.library = module.version = module.vendor = module.summary = kHostileText;
  module.file = module.state = module.reason = kHostileText;
  report.endpoints = {{kHostileText, kHostileText, {kHostileText}, 0}};
  report.endpoints.front().reason = kHostileText;
  const auto method = std::make_shared<MethodMetrics>(kHostileText, kHostileText, true);
  method->started();
  report.methods = {method};
  report.problems.front().text = kHostileText;
  report.problems.front().fields = {{"module", kHostileText}, {"request", kHostileText}};
  return report;
}

}  // namespace longshore::observe
