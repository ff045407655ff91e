#include "observe/status_page.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <vector>

#include "tests/unit/observe/status_reports.h"

namespace longshore::observe {
namespace {

// Checks the page as a strict reader does: every tag is closed in its order. Answers the first
// fault, or nothing.
std::string fault_in(const std::string& html) {
  static constexpr std::array<std::string_view, 2> kWithoutEnd = {"!DOCTYPE", "meta"};
  std::vector<std::string> open;
  for (size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at)) {
    const size_t end = html.find('>', at);
    if (end == std::string::npos) return "a tag without an end";
    const std::string tag = html.substr(at + 1, html.find_first_of(" >", at) - at - 1);
    at = end;
    if (tag.empty()) return "a tag without a name";
    if (tag.front() == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return "</" + tag + "> closes another";
      open.pop_back();
    } else if (std::find(kWithoutEnd.begin(), kWithoutEnd.end(), tag) == kWithoutEnd.end()) {
      open.push_back(tag);
    }
  }
  return open.empty() ? "" : '<' + open.back() + "> is not closed";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("The page tells node, state, modules, endpoints, calls and problems") {
  const std::string page = status_page(sample_report());
  CHECK(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">\n"));
  CHECK(contains(page, "<title>Longshore on node-7: serving</title>"));
  CHECK(contains(page, "<h1>Longshore on node-7: serving</h1>"));
  CHECK(contains(page, "Version 0.1.0, up for 1 d 6 h, process 42, configured by /etc/longshore"));
  CHECK(contains(page, "<td>disk</td>\n<td class=\"good\">serving</td>"));
  CHECK(contains(page, "<td>volume</td>\n<td class=\"bad\">failed</td>"));
  CHECK(contains(page, "<td class=\"text\">no &lt;disk&gt;</td>"));
  CHECK(contains(page,
                 "<td>disk-v1</td>\n<td class=\"good\">listening</td>\n"
                 "<td class=\"number\">3</td>"));
  CHECK(contains(page,
                 "<td>v1.Disk/Rescan</td>\n<td class=\"number\">1</td>\n"
                 "<td class=\"number\">1</td>\n<td class=\"number\">0</td>\n"
                 "<td class=\"number\">2.000</td>"));
  CHECK(contains(page,
                 "<td>2026-11-21T04:31:35.000Z</td>\n<td class=\"bad\">error</td>\n"
                 "<td>disk</td>\n<td>abc-1</td>\n"
                 "<td class=\"text\">cannot open &quot;x&quot;</td>"));
}

TEST_CASE("The page tells of controllers apart from modules, and what they wait for") {
  StatusReport report = sample_report();
  CHECK_FALSE(contains(status_page(report), "Controllers"));
  ModuleReport waiting = module_report("attacher", "waiting", "another node has the <lease>");
  waiting.is_controller = true;
  waiting.since = std::chrono::system_clock::time_point(std::chrono::seconds(1795235495));
  waiting.restarts = 2;
  waiting.last_failure = "cannot <start>";
  report.modules.push_back(waiting);
  const std::string page = status_page(report);
  CHECK(contains(page,
                 "<td>attacher</td>\n<td>waiting</td>\n<td>2026-11-21T04:31:35.000Z</td>\n"
                 "<td class=\"number\">2</td>\n<td>0.1.0</td>\n"
                 "<td class=\"text\">another node has the &lt;lease&gt;</td>\n"
                 "<td class=\"text\">cannot &lt;start&gt;</td>"));
  CHECK(page.find("<td>attacher</td>") == page.rfind("<td>attacher</td>"));
  CHECK(fault_in(page) == "");
}

TEST_CASE("The page tells why an endpoint does not listen") {
  StatusReport report = sample_report();
  report.endpoints[0].reason = "there is a <link>";
  const std::string page = status_page(report);
  CHECK(contains(page, "<td>disk-v1</td>\n<td class=\"bad\">not listening</td>"));
  CHECK(contains(page, "<td class=\"text\">there is a &lt;link&gt;</td>"));
}

TEST_CASE("The page loads nothing, runs nothing and fits phones, light and dark") {
  const std::string page = status_page(sample_report());
  CHECK(contains(page, "name=\"viewport\" content=\"width=device-width"));
  CHECK(contains(page, "@media(prefers-color-scheme:dark)"));
  for (const char* absent : {"<script", "src=", "url(", "@import", "http:", "https:", "<form"}) {
    INFO(absent);
    CHECK_FALSE(contains(page, absent));
  }
}

TEST_CASE("Every tag of the page is closed, whatever it shows") {
  CHECK(fault_in(status_page(sample_report())) == "");
  CHECK(fault_in(status_page(hostile_report())) == "");
  CHECK(fault_in(status_page({})) == "");
  CHECK(fault_in("<p><b></p>") == "<//p> closes another");
}

TEST_CASE("Texts of modules and clients stay texts") {
  const std::string page = status_page(hostile_report());
  CHECK_FALSE(contains(page, "<script"));
  CHECK_FALSE(contains(page, "<!--"));
  CHECK_FALSE(contains(page, "\x01"));
  CHECK_FALSE(contains(page, "\xff"));
  CHECK(contains(page,
                 "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;amp;\\n\\&quot;},{"
                 "\\u0001\xef\xbf\xbd&lt;/td&gt;"));
}

TEST_CASE("An agent on which nothing happened says so in words") {
  const std::string page = status_page({});
  CHECK(contains(page, "<h2>Recent warnings and errors</h2>\n<p>None since the start.</p>"));
  CHECK(contains(page, "<h2>Calls over the endpoints</h2>\n<p>None since the start.</p>"));
}

}  // namespace
}  // namespace longshore::observe
