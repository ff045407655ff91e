// Which path answers what: pages for people, for programs and for probes.
#include "observe/status_site.h"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

#include "observe/status_json.h"
#include "tests/unit/observe/status_reports.h"

namespace longshore::observe {
namespace {

using namespace std::chrono_literals;
using Catch::Contains;

constexpr const char* kBrowser =
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";

HttpPage page_of(const StatusReport& report, HttpQuery query) {
  return status_site([&] { return report; })(query);
}

HttpPage page_of(const std::string& path, const std::string& query = {},
                 const std::string& accept = {}) {
  return page_of(sample_report(), {path, query, accept});
}

TEST_CASE("The status is HTML for browsers and JSON for everything else") {
  const auto type = [](const std::string& accept) {
    return page_of("/status", "", accept).content_type;
  };
  const std::string html = "text/html; charset=utf-8";
  const std::string json = "application/json";
  CHECK(type(kBrowser) == html);
  CHECK(type("application/json;q=0.5, text/html;q=0.5") == html);
  CHECK(type("text/html") == html);
  CHECK(type("") == json);
  CHECK(type("*/*") == json);
  CHECK(type("application/json, text/html;q=0.9") == json);
  CHECK(type("text/html;q=0") == json);
  CHECK(type("text/html;q=x, application/json") == json);
  CHECK(type(",;,;q=1,") == json);
}

TEST_CASE("Metrics are where they are wanted, and nowhere else") {
  const auto site = status_site([] { return sample_report(); }, "/custom");
  CHECK(site({"/custom", {}, {}}).content_type == page_of("/metrics").content_type);
  CHECK(site({"/metrics", {}, {}}).status == 404);
  CHECK(site({"/metrics", {}, {}}).body == "There are /custom, /healthz, /readyz and /status.\n");
}

TEST_CASE("What only the metrics tell is asked for by nothing else") {
  int asked = 0;
  const auto site = status_site([] { return sample_report(); }, "/metrics",
                                [&] {
                                  ++asked;
                                  StatusReport report = sample_report();
                                  report.work_queues = {{.module = "beat", .name = "pulses"}};
                                  return report;
                                });
  for (const char* path : {"/healthz", "/readyz", "/status", "/"}) site({path, {}, {}});
  CHECK(asked == 0);
  CHECK_THAT(site({"/metrics", {}, {}}).body, Contains("workqueue_depth{name=\"pulses\""));
  CHECK(asked == 1);
}

TEST_CASE("A format that is asked for is given, and no other one") {
  CHECK(page_of("/status", "format=json", kBrowser).content_type == "application/json");
  CHECK(page_of("/status", "format=html").content_type == "text/html; charset=utf-8");
  for (const char* query : {"format=xml", "format=", "x", "format=json&x=1"}) {
    INFO(query);
    CHECK(page_of("/status", query, kBrowser).status == 400);
  }
}

TEST_CASE("The start leads to the status, and other paths are told what there is") {
  CHECK(page_of("/").status == 302);
  CHECK(page_of("/").location == "/status");
  for (const char* path : {"/metrics/", "/Status", "/status/../healthz", "//", "/%73tatus"}) {
    INFO(path);
    CHECK(page_of(path).status == 404);
    CHECK(page_of(path).body == "There are /metrics, /healthz, /readyz and /status.\n");
  }
}

TEST_CASE("Metrics have the type of their format") {
  CHECK(page_of("/metrics").content_type == "text/plain; version=0.0.4; charset=utf-8");
  CHECK(page_of("/metrics").body.find("longshore_module_up{module=\"disk\"} 1\n") !=
        std::string::npos);
}

TEST_CASE("The agent is healthy while it serves, whatever its modules do") {
  StatusReport report = sample_report();
  CHECK(page_of(report, {"/healthz", "", ""}).status == 200);
  CHECK(page_of(report, {"/healthz", "", ""}).body == "ok\n");
  report.state = "draining";
  CHECK(page_of(report, {"/healthz", "", ""}).status == 503);
  CHECK(page_of(report, {"/healthz", "", ""}).body == "draining\n");
}

TEST_CASE("A lease is healthy unless it is believed to be held long after its end") {
  StatusReport report = sample_report();
  const HttpQuery query = {"/healthz/leader-election", "", ""};
  CHECK(page_of(report, query).status == 404);
  report.leases = {{}, {.name = "other", .since_renewed = 1h, .duration = 15s}};
  CHECK(page_of(report, query).status == 200);
  report.leases.push_back({.name = "l", .leads = true, .since_renewed = 35s, .duration = 15s});
  CHECK(page_of(report, query).body == "ok\n");
  report.leases.back().since_renewed += 1ns;
  CHECK(page_of(report, query).status == 500);
  CHECK(page_of(report, query).body ==
        "internal server error: failed election to renew leadership on lease l\n");
  CHECK(page_of(report, {"/healthz", "", ""}).status == 200);
  report.state = "draining";
  report.leases.back().leads = false;
  CHECK(page_of(report, query).status == 200);
}

TEST_CASE("The agent is ready while a module serves, and tells which does not") {
  StatusReport report = sample_report();
  CHECK(page_of(report, {"/readyz", "", ""}).status == 200);
  CHECK(page_of(report, {"/readyz", "", ""}).body ==
        "ok\nthe module volume is failed: no <disk>\n");
  CHECK(page_of(report, {"/readyz", "verbose", ""}).status == 200);
  report.modules.erase(report.modules.begin());
  CHECK(page_of(report, {"/readyz", "", ""}).status == 503);
  CHECK(page_of(report, {"/readyz", "verbose", ""}).status == 503);
}

TEST_CASE("A strict agent is ready when every module serves; otherwise it tells which does not") {
  StatusReport report = sample_report();
  report.is_strict = true;
  CHECK(page_of(report, {"/readyz", "", ""}).status == 503);
  CHECK(page_of(report, {"/readyz", "", ""}).body == "the module volume is failed: no <disk>\n");
  report.modules.back() = module_report("volume", "draining", "two\nlines");
  CHECK(page_of(report, {"/readyz", "", ""}).body ==
        "the module volume is draining: two\\nlines\n");
  report.modules.back() = module_report("volume", "serving");
  CHECK(page_of(report, {"/readyz", "", ""}).status == 200);
  report.modules.clear();
  CHECK(page_of(report, {"/readyz", "", ""}).status == 200);
  report.state = "draining";
  CHECK(page_of(report, {"/readyz", "", ""}).status == 503);
  CHECK(page_of(report, {"/readyz", "", ""}).body == "the agent is draining\n");
}

TEST_CASE("An audit log that cannot be written is told; only a strict agent is not ready by it") {
  StatusReport report = sample_report();
  report.modules.pop_back();
  CHECK_THAT(page_of(report, {"/readyz", "verbose", ""}).body, !Contains("audit"));
  report.audit.is_on = true;
  CHECK(page_of(report, {"/readyz", "", ""}).body == "ok\n");
  CHECK_THAT(page_of(report, {"/readyz", "verbose", ""}).body,
             Contains("[+]audit log is written\n"));
  report.audit.trouble = "no\nroom";
  CHECK(page_of(report, {"/readyz", "", ""}).status == 200);
  CHECK(page_of(report, {"/readyz", "", ""}).body == "ok\nno\\nroom\n");
  CHECK_THAT(page_of(report, {"/readyz", "verbose", ""}).body,
             Contains("[-]audit log is not written: no\\nroom\n"));
  CHECK_THAT(page_of(report, {"/status", "format=html", ""}).body,
             Contains("Audit log") && Contains("no\\nroom"));
  CHECK_THAT(page_of(report, {"/status", "format=json", ""}).body,
             Contains(R"("written":false,"reason":"no\nroom")"));
  report.is_strict = true;
  CHECK(page_of(report, {"/readyz", "", ""}).status == 503);
}

TEST_CASE("An agent is ready while an endpoint listens, a strict one while all do") {
  StatusReport report;
  report.state = kServing;
  report.endpoints = {{"control", "unix:///run/control.sock", {}},
                      {"disk-v1", "unix:///run/disk.sock", {"v1.Disk"}},
                      {"echo", "unix:///run/echo.sock", {"Echo"}}};
  report.endpoints[0].is_own = true;
  const auto readiness = [&](const std::string& query) {
    return page_of(report, {"/readyz", query, ""});
  };
  CHECK(readiness({}).body == "ok\n");
  report.endpoints[1].reason = "there is\na link";
  CHECK(readiness({}).status == 200);
  CHECK(readiness({}).body == "ok\nthe endpoint disk-v1 does not listen: there is\\na link\n");
  CHECK(readiness("verbose").status == 200);
  CHECK(readiness("verbose").body ==
        "[+]agent serving\n[+]endpoint control listening\n"
        "[-]endpoint disk-v1 not listening: there is\\na link\n"
        "[+]endpoint echo listening\nreadyz check passed\n");
  report.is_strict = true;
  CHECK(readiness({}).status == 503);
  CHECK(readiness({}).body == "the endpoint disk-v1 does not listen: there is\\na link\n");
  report.is_strict = false;
  report.endpoints[2].reason = "a file";
  CHECK(readiness({}).status == 503);  // nobody but an administrator gets in
  report.endpoints.resize(1);
  CHECK(readiness({}).status == 200);
  report.endpoints[0].reason = "a file";
  CHECK(readiness({}).status == 200);
}

TEST_CASE("The JSON has everything that the report has") {
  const auto json = boost::json::parse(status_json(sample_report())).as_object();
  CHECK(json.at("host") == "node-7");
  CHECK(json.at("uptime_ms") == 30 * 3600 * 1000);
  CHECK(json.at("modules").as_array().size() == 2);
  CHECK(json.at("modules").at(1).at("reason") == "no <disk>");
  CHECK(json.at("endpoints").at(0).at("services").at(0) == "v1.Disk");
  CHECK(json.at("endpoints").at(0).at("listening") == true);
  CHECK(json.at("endpoints").at(0).at("reason") == "");
  CHECK(json.at("methods").at(0).at("calls_failed") == 1);
  CHECK(json.at("methods").at(0).at("seconds") == 0.002);
  CHECK(json.at("problems").at(0).at("message") == "cannot open \"x\"");
  CHECK(json.at("problems").at(0).at("fields").at("request") == "abc-1");
}

TEST_CASE("The JSON has controllers apart from modules") {
  StatusReport report = sample_report();
  ModuleReport beat = module_report("beat", "failed", "no pulse");
  beat.is_controller = true;
  beat.restarts = 3;
  beat.last_failure = "no pulse";
  beat.since = std::chrono::system_clock::time_point(std::chrono::seconds(1795235495));
  report.modules.push_back(beat);
  const auto json = boost::json::parse(status_json(report));
  CHECK(json.at("modules").as_array().size() == 2);
  REQUIRE(json.at("controllers").as_array().size() == 1);
  const auto& controller = json.at("controllers").at(0);
  CHECK(controller.at("name") == "beat");
  CHECK(controller.at("restarts") == 3);
  CHECK(controller.at("last_failure") == "no pulse");
  CHECK(controller.at("since") == "2026-11-21T04:31:35.000Z");
}

TEST_CASE("The JSON can be parsed whatever it tells, and when there is nothing to tell") {
  const auto json = boost::json::parse(status_json(hostile_report()));
  const std::string reason(json.at("modules").at(0).at("reason").as_string());
  CHECK(reason.starts_with("<script>alert(1)</script>\"'&amp;\n\\\"},{\x01\xef\xbf\xbd"));
  CHECK(boost::json::parse(status_json({})).at("modules").as_array().empty());
}

TEST_CASE("Readiness in detail tells how each module is, and why it serves badly") {
  StatusReport report;
  report.state = kServing;
  report.is_strict = true;
  ModuleReport disk;
  disk.name = "disk";
  disk.state = kServing;
  report.modules = {disk, disk};
  report.modules[1].name = "beat";
  report.modules[1].degraded = true;
  report.modules[1].reason = "the heart\nis lost";
  CHECK(page_of(report, {"/readyz", "verbose", ""}).status == 200);
  CHECK(page_of(report, {"/readyz", "verbose", ""}).body ==
        "[+]agent serving\n[+]module disk serving\n"
        "[+]module beat degraded: the heart\\nis lost\nreadyz check passed\n");
  report.modules[0].state = "failed";
  report.modules[0].reason = "no disk";
  CHECK(page_of(report, {"/readyz", "verbose", ""}).status == 503);
  CHECK(page_of(report, {"/readyz", "verbose", ""}).body ==
        "[+]agent serving\n[-]module disk failed: no disk\n"
        "[+]module beat degraded: the heart\\nis lost\nreadyz check failed\n");
}

}  // namespace
}  // namespace longshore::observe
