// Whether changes of an audit log show.
#include "tools/longshorectl/audit_check.h"

#include <catch2/catch.hpp>
#include <sstream>

namespace longshore::ctl {
namespace {

using Catch::Matchers::Contains;
using observe::AuditLink;

const std::string kChain = "0123456789abcdef";

struct Written {
  std::vector<std::string> lines;
  AuditLink link = {kChain, 0, std::string(64, '0')};

  void open() {
    add(R"({"event":"opened","chain":")" + kChain + R"(","previous":")" + link.hash + R"("})");
  }
  void add(const std::string& object) { lines.push_back(observe::sealed(object, link)); }
  void add_call(const std::string& call) {
    add(R"({"event":"begin","call":")" + call + R"(","request_id":"r","method":"v1.A/B"})");
    add(R"({"event":"end","call":")" + call + R"("})");
  }
  std::string text() const {
    std::string all;
    for (const std::string& line : lines) all += line + '\n';
    return all;
  }
};

Written log_of(int calls) {
  Written written;
  written.open();
  for (int i = 0; i < calls; ++i) written.add_call("c" + std::to_string(i));
  return written;
}

AuditCheck::Result check(const std::vector<std::string>& files, const std::string& journal = {}) {
  AuditCheck checked;
  for (size_t i = 0; i < files.size(); ++i) {
    std::istringstream lines(files[i]);
    checked.add_file("f" + std::to_string(i), lines);
  }
  std::istringstream lines(journal);
  if (!journal.empty()) checked.add_journal(lines);
  return checked.result();
}

std::string journal_of(const AuditLink& link) {
  return "2026-11-21T04:31:35.123Z INFO  " + observe::anchor_text(link) + " file=/a\n";
}

}  // namespace

TEST_CASE("an audit log as it was written is whole, over several files in any order") {
  Written written = log_of(3);
  const AuditLink at = written.link;
  const std::string first = written.text();
  written.lines.clear();
  written.open();
  written.add_call("d");
  const auto result = check({written.text(), first}, journal_of(at) + journal_of(written.link));
  CHECK(result.findings.empty());
  REQUIRE(result.remarks.size() == 1);
  CHECK(result.remarks[0] == "0 lines after the last anchor, line 10 of the chain " + kChain +
                                 ", are not covered: they may have been changed, and others cut "
                                 "off");
  CHECK(result.lines == 10);
  CHECK(result.anchors == 2);
  // The oldest file may be gone.
  const auto later = check({written.text()}, journal_of(at));
  CHECK(later.findings.empty());
  REQUIRE(later.remarks.size() == 2);
  CHECK_THAT(later.remarks[0], Contains("lines 1 to 7") && Contains("cannot be told"));
  CHECK_THAT(later.remarks[1], Contains("3 lines after the last anchor, line 7 of"));
  CHECK(later.anchors == 1);
}

TEST_CASE("a journal that tells nothing of the files is an error: nothing was compared") {
  const Written written = log_of(3);
  for (const std::string& journal :
       {std::string("\n"), std::string("root:x:0:0:root:/root:/bin/bash\n"),
        std::string("2026-11-21T04:31:35.123Z INFO  serving modules=6\n")}) {
    CAPTURE(journal);
    const auto result = check({written.text()}, journal);
    CHECK(result.anchors == 0);
    REQUIRE(result.findings.size() == 1);
    CHECK_THAT(result.findings[0],
               Contains("compared with nothing") && Contains("longshorectl reload"));
  }
  CHECK(check({written.text()}).findings.empty());
}

TEST_CASE("lines that an agent could not write to its end make the log not whole") {
  Written written = log_of(2);
  const std::string end =
      "2026-11-21T04:31:35.123Z ERROR the audit log ends without all of its lines file=/a lost=69 "
      "chain=" +
      kChain + " number=" + std::to_string(written.link.number) + "\n";
  const std::string journal = journal_of(written.link);
  const auto lacking = check({written.text()}, journal + end + end);
  REQUIRE(lacking.findings.size() == 1);
  CHECK_THAT(lacking.findings[0], Contains("69 lines") && Contains("after line 5"));

  SECTION("also where the next agent has told it, once") {
    written.add(R"({"event":"lost","lines":69,"refused_calls":2})");
    written.add_call("x");
    for (const std::string& told : {journal + end, journal}) {
      const auto result = check({written.text()}, told);
      REQUIRE(result.findings.size() == 1);
      CHECK_THAT(result.findings[0], Contains("f0:6: 69 lines"));
      REQUIRE(result.remarks.size() == 2);
      CHECK_THAT(result.remarks[0], Contains("3 lines after the last anchor, line 5 of"));
      CHECK_THAT(result.remarks[1], Contains("2 calls were refused"));
    }
  }
  SECTION("of an agent that does not tell where") {
    for (const std::string& line :
         {std::string("Nov 21 04:31:35 node longshored[12]: the audit log ends without all of its "
                      "lines file=/a lost=69\n"),
          std::string(R"({"message":"the audit log ends without all of its lines","file":"/a",)"
                      R"("lost":"69"})"
                      "\n")}) {
      const auto result = check({written.text()}, journal + line);
      REQUIRE(result.findings.size() == 1);
      CHECK_THAT(result.findings[0], Contains("69 lines"));
    }
  }
  SECTION("not what a module says, nor of another log, nor of calls only") {
    for (const char* line :
         {"2026-11-21T04:31:35.123Z ERROR the audit log ends without all of its lines lost=69 "
          "module=evil\n",
          "2026-11-21T04:31:35.123Z ERROR the audit log ends without all of its lines lost=69 "
          "chain=fedcba9876543210 number=1\n",
          "2026-11-21T04:31:35.123Z ERROR the audit log ends without all of its lines lost=0 "
          "refused_calls=3\n"}) {
      CHECK(check({written.text()}, journal + line).findings.empty());
    }
  }
}

TEST_CASE("a file without a whole line is no audit log") {
  CHECK_THAT(check({""}).findings.at(0), Contains("f0: it has no whole line"));
  const auto torn = check({R"({"event":"ope)"});
  CHECK_THAT(torn.findings.at(0), Contains("f0: it has no whole line"));
  CHECK_THAT(torn.remarks.at(0), Contains("torn"));
  CHECK(check({log_of(1).text(), ""}).findings.size() == 1);
}

TEST_CASE("a line that is changed, taken out or put in shows") {
  const Written written = log_of(3);
  Written changed = written;
  changed.lines[2].replace(changed.lines[2].find("end"), 3, "And");
  CHECK(check({changed.text()}).findings.size() == 1);
  Written without = written;
  without.lines.erase(without.lines.begin() + 3);
  REQUIRE(check({without.text()}).findings.size() == 1);
  CHECK_THAT(check({without.text()}).findings[0],
             Contains("f0:4") && Contains("number 5 follows 3"));
  Written more = written;
  more.lines.insert(more.lines.begin() + 3, R"({"event":"begin"})");
  CHECK_THAT(check({more.text()}).findings.at(0), Contains("f0:4: the line is not sealed"));
}

TEST_CASE("a line that is longer than any of the log's is passed over, and the next one is read") {
  const std::string endless(size_t{1} << 20, 'x');
  Written written = log_of(3);
  written.lines.insert(written.lines.begin() + 3, endless);
  const auto inserted = check({written.text()});
  REQUIRE(inserted.findings.size() == 1);
  CHECK_THAT(inserted.findings[0], Contains("f0:4: the line is not sealed"));
  CHECK(inserted.lines == 7);
  const auto appended = check({log_of(3).text() + endless});
  REQUIRE(appended.findings.size() == 1);
  CHECK_THAT(appended.findings[0], Contains("f0:8: the line is not sealed"));
  CHECK(appended.remarks.empty());
  // A module said so, which stands at the end.
  const Written log = log_of(3);
  const std::string forged = "2026-11-21T04:31:35.123Z INFO  " + observe::anchor_text(log.link) +
                             endless + " module=evil\n";
  CHECK(check({log.text()}, forged).anchors == 0);
  CHECK(check({log.text()}, forged + journal_of(log.link)).anchors == 1);
}

TEST_CASE("of a file that is no audit log the first lines are told, and the others counted") {
  std::string text = log_of(3).text();
  for (int i = 0; i < 1000; ++i) text += "no line of it\n";
  const auto result = check({text});
  REQUIRE(result.findings.size() == 101);
  CHECK_THAT(result.findings[99], Contains("f0:107: the line is not sealed"));
  CHECK(result.findings[100] == "f0: 900 more lines are not sealed");
}

TEST_CASE("what is cut off or made anew shows by what the journal tells") {
  const Written written = log_of(3);
  Written cut = written;
  cut.lines.resize(4);
  CHECK(check({cut.text()}).findings.empty());
  CHECK_THAT(check({cut.text()}, journal_of(written.link)).findings.at(0), Contains("was cut"));
  Written anew;
  anew.open();
  for (int i = 0; i < 6; ++i) anew.add("{\"event\":\"other\"}");
  CHECK(check({anew.text()}).findings.empty());
  CHECK_THAT(check({anew.text()}, journal_of(written.link)).findings.at(0),
             Contains("was changed"));
  const auto other =
      check({written.text()}, journal_of({"fedcba9876543210", 5, written.link.hash}));
  CHECK_THAT(other.findings.at(0), Contains("fedcba9876543210"));
}

TEST_CASE("a torn last line and calls without an outcome are remarks") {
  Written written = log_of(1);
  written.add(R"({"event":"begin","call":"x","request_id":"k7","method":"v1.F/RmdirContents"})");
  const auto result = check({written.text() + R"({"event":"be)"});
  CHECK(result.findings.empty());
  REQUIRE(result.remarks.size() == 2);
  CHECK_THAT(result.remarks[0], Contains("torn"));
  CHECK_THAT(result.remarks[1], Contains("request k7 (v1.F/RmdirContents) began"));
}

TEST_CASE("anchors are read as the log and journalctl write them, and from nobody else") {
  const AuditLink link = {kChain, 12, std::string(64, 'a')};
  const std::string anchor = observe::anchor_text(link);
  for (const std::string& line :
       {"2026-11-21T04:31:35.123Z INFO  " + anchor + " file=/a", "<6>" + anchor + " file=/a",
        "Nov 21 04:31:35 node longshored[12]: " + anchor + " file=/a", anchor,
        R"({"time":"x","level":"info","message":")" + anchor + R"(","file":"/a"})",
        R"({"_CMDLINE":"longshored --config=a","MESSAGE":")" + anchor + R"("})"}) {
    INFO(line);
    CHECK(observe::read_anchor(line) == link);
  }
  for (const std::string& line :
       {"2026-11-21T04:31:35.123Z INFO  " + anchor + " module=evil",
        "2026-11-21T04:31:35.123Z INFO  refused object=\"]: " + anchor + '"',
        R"({"message":"refused","object":"\"message\":\")" + anchor + R"("})",
        anchor.substr(0, anchor.size() - 1), std::string("audit log anchor x/1/")}) {
    INFO(line);
    CHECK_FALSE(observe::read_anchor(line));
  }
}

}  // namespace longshore::ctl
