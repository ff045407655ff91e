// The manual pages: they format, and name what there is, no less and no more.
#include <regex.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "longshorectl_run.h"
#include "tests/support/build_tree.h"

using namespace longshore::test;

namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

std::string content(const fs::path& path) {
  std::ifstream file(path);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string page(const std::string& name) {
  return content(fs::path(source_tree() + "/packaging/man") / name);
}

// What the expression's first group is in each match. Not std::regex, which does not compile under
// AddressSanitizer with our warnings.
Names matches(const std::string& text, const std::string& expression) {
  regex_t regex;
  REQUIRE(regcomp(&regex, expression.c_str(), REG_EXTENDED | REG_NEWLINE) == 0);
  Names names;
  regmatch_t groups[2];
  for (size_t start = 0; start < text.size(); start += static_cast<size_t>(groups[0].rm_eo)) {
    const int flags = start == 0 || text[start - 1] == '\n' ? 0 : REG_NOTBOL;
    if (regexec(&regex, text.c_str() + start, 2, groups, flags) != 0) break;
    names.insert(text.substr(start + static_cast<size_t>(groups[1].rm_so),
                             static_cast<size_t>(groups[1].rm_eo - groups[1].rm_so)));
  }
  regfree(&regex);
  return names;
}

// What the program offers behind these words, as it tells the shell.
Names offered(const std::string& program, std::vector<std::string> words) {
  words.insert(words.begin(), {program, "__complete", "--"});
  const auto run = run_program(std::move(words));
  CHECK(run.exit_code == 0);
  Names names;
  std::istringstream lines(run.output);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(":")) names.insert(line);  // these would be files
  }
  return names;
}

// The commands, "config check" for one of a command, and all options.
struct Offer {
  Names commands;
  Names options;
};

Offer offer_of(const std::string& program) {
  Offer offer;
  const auto add_options = [&](std::vector<std::string> words) {
    words.emplace_back("--");
    offer.options.merge(offered(program, std::move(words)));
  };
  add_options({});
  for (const std::string& command : offered(program, {""})) {
    add_options({command});
    Names inner = command == "trace" || command == "top" || command == "call"
                      ? Names()
                      : offered(program, {command, ""});
    if (inner.empty()) offer.commands.insert(command);
    for (const std::string& each : inner) {
      offer.commands.insert(command + " " + each);
      add_options({command, each});
    }
  }
  return offer;
}

// A system may lack the file of macros that is its administrator's.
std::string without_local_macros(const std::string& warnings) {
  std::istringstream lines(warnings);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("mdoc.local") == std::string::npos) kept += line + '\n';
  }
  return kept;
}

void check_page(const std::string& name, const std::string& program) {
  CAPTURE(name);
  const std::string text = page(name);
  const Offer offer = offer_of(program);
  CHECK(offer.options.size() > 4);
  Names options = matches(text, "\\bFl -([a-z-]+)");
  Names written;
  for (const std::string& option : options) written.insert("--" + option);
  CHECK(written == offer.options);
  CHECK(matches(text, "^\\.It Ic ([a-z]+( [a-z]+)?)( |$)") == offer.commands);
}

// Adds `agent.log level = "info"`. The sample has examples in place of the defaults of some keys.
void add_key(Names& keys, const std::string& table, const std::string& key,
             const std::string& value) {
  static const Names examples = {"address", "library", "may_call", "methods", "services", "users"};
  if (key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != key.npos) return;
  keys.insert(table + ' ' + key + (examples.contains(key) ? "" : " = " + value));
}

// The page has one table for those whose names are the administrator's, but for settings.
std::string table_on_page(const std::string& table) {
  if (table.ends_with(".settings")) return table;
  if (table.ends_with(".permissions.readers")) return "endpoints.NAME.permissions.RULE";
  if (table == "endpoints.all") return "endpoints.NAME";
  if (!table.starts_with("modules.")) return table;
  return table.ends_with(".process") ? "modules.NAME.process" : "modules.NAME";
}

Names keys_of_sample(const std::string& sample) {
  Names keys;
  std::string table;
  std::istringstream lines(sample);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) line.erase(0, 1);
    const size_t equals = line.find(" = ");
    if (line.starts_with('[')) {
      table = table_on_page(line.substr(1, line.find(']') - 1));
    } else if (equals != line.npos) {
      add_key(keys, table, line.substr(0, equals), line.substr(equals + 3));
    }
  }
  return keys;
}

Names keys_of_page(const std::string& text) {
  constexpr std::string_view kTable = ".Ss [";
  constexpr std::string_view kKey = ".It Va ";
  constexpr std::string_view kQuote = "\\(dq";
  Names keys;
  std::string table;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    for (size_t at; (at = line.find(kQuote)) != line.npos;) line.replace(at, kQuote.size(), "\"");
    if (line.starts_with(kTable)) {
      table = line.substr(kTable.size(), line.find(']') - kTable.size());
    } else if (line.starts_with(kKey)) {
      const size_t end = std::min(line.find(" Pq "), line.size());
      const size_t value = std::min(end + 4, line.size());
      add_key(keys, table, line.substr(kKey.size(), end - kKey.size()), line.substr(value));
    }
  }
  return keys;
}

}  // namespace

TEST_CASE("every page is formatted without a warning") {
  if (!fs::exists("/usr/bin/groff")) {
    WARN("SKIPPED: groff-base is not installed");
    return;
  }
  int pages = 0;
  for (const auto& entry : fs::directory_iterator(source_tree() + "/packaging/man")) {
    ++pages;
    CAPTURE(entry.path());
    const auto run = run_program(
        {"/usr/bin/groff", "-mandoc", "-ww", "-Kutf8", "-Tutf8", "-z", entry.path().string()});
    CHECK(run.exit_code == 0);
    CHECK(without_local_macros(run.errors) == "");
    const auto shown =
        run_program({"/usr/bin/groff", "-mandoc", "-Kutf8", "-Tutf8", entry.path().string()});
    CHECK(shown.output.size() > 1000);
  }
  CHECK(pages == 6);
}

TEST_CASE("the pages name the commands and options that there are") {
  check_page("longshorectl.1", built_program("longshorectl"));
  check_page("longshored.8", built_program("longshored"));
  check_page("longshore-module-check.1", built_program("longshore-module-check"));
}

TEST_CASE("the pages name the exit codes of the help") {
  for (const auto& [name, program] :
       {std::pair("longshorectl.1", built_program("longshorectl")),
        std::pair("longshored.8", built_program("longshored")),
        std::pair("csi-sidecars.8", built_program("csi-sidecars")),
        std::pair("longshore-module-check.1", built_program("longshore-module-check"))}) {
    CAPTURE(name);
    const std::string help = run_program({program, "--help"}).output;
    const std::string codes = help.substr(help.find("Exit codes:"));
    const Names numbers = matches(codes.substr(0, codes.find("\n\n")), "([0-9])  ?[a-z]");
    CHECK(numbers.size() >= 3);
    CHECK(matches(page(name), "^\\.It ([0-9])$") == numbers);
  }
}

TEST_CASE("the page and the help name the same commands that have exit codes of their own") {
  const std::string help = run_program({built_program("longshorectl"), "--help"}).output;
  const std::string codes = help.substr(help.find("Exit codes:"));
  const std::string text = page("longshorectl.1");
  const size_t begin = text.find(".Sh EXIT STATUS");
  const std::string status = text.substr(begin, text.find(".Sh EXAMPLES") - begin);
  const Names commands = matches(status, "Ic ([a-z ]*[a-z])");
  CHECK(commands == Names{"audit verify", "config check", "crashes"});
  CHECK(matches(codes.substr(0, codes.find("\n\n")), "\"([a-z ]+)\"") == commands);
}

TEST_CASE("the page of the configuration has the keys of the sample, in their tables, by default") {
  const Names keys = keys_of_sample(content(source_tree() + "/config/agent.toml"));
  CHECK(keys.size() > 90);
  CHECK(keys_of_page(page("longshore-agent.toml.5")) == keys);
}
