// The table of methods in modules/README.md names the drivers that use each, as their tables here
// do.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "tests/drivers/drivers.h"
#include "tests/support/build_tree.h"
#include "tests/support/read_file.h"

using namespace longshore::test;

namespace {

// Of each driver, by the letters that the README has for it.
using Uses = std::map<std::string, std::set<std::string>>;

std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(separator, start), text.size());
    parts.push_back(text.substr(start, end - start));
    start = end + separator.size();
  }
  return parts;
}

// Without the names of older versions, which stand in brackets.
std::string without_brackets(std::string text) {
  for (size_t open; (open = text.find(" (")) != std::string::npos;) {
    const size_t close = text.find(')', open);
    REQUIRE(close != std::string::npos);
    text.erase(open, close + 1 - open);
  }
  return text;
}

// Of "disk Rescan" and "Rmdir, always with `force`": what is a name, behind that of its group.
std::vector<std::string> methods_in(const std::string& cell) {
  std::vector<std::string> methods;
  for (const std::string& part : split(without_brackets(cell), ", ")) {
    const std::string last = part.substr(part.rfind(' ') + 1);
    if (!last.empty() && std::isupper(static_cast<unsigned char>(last.front())) != 0) {
      methods.push_back(last);
    }
  }
  return methods;
}

// Of "all; AZD unstages by nothing else": what stands before the remark.
std::vector<std::string> drivers_in(const std::string& cell) {
  return split(cell.substr(0, cell.find_first_of(";:")), ", ");
}

Uses uses_in_readme(const std::set<std::string>& drivers) {
  std::istringstream text(read_file(source_tree() + "/modules/README.md"));
  Uses uses;
  bool is_in_table = false;
  for (std::string line; std::getline(text, line);) {
    if (line == "| method | drivers |") is_in_table = true;
    if (!is_in_table || !line.starts_with("| ") || line == "| method | drivers |") {
      if (line.empty()) is_in_table = false;
      continue;
    }
    CAPTURE(line);
    const std::vector<std::string> cells = split(line, "|");
    REQUIRE(cells.size() == 4);
    const auto inner = [](const std::string& cell) { return cell.substr(1, cell.size() - 2); };
    for (const std::string& driver : drivers_in(inner(cells[2]))) {
      if (driver == "none") continue;
      REQUIRE((driver == "all" || drivers.contains(driver)));
      for (const std::string& method : methods_in(inner(cells[1]))) {
        for (const std::string& each : drivers) {
          if (driver == "all" || driver == each) uses[each].insert(method);
        }
      }
    }
  }
  return uses;
}

// "SetDiskState(online)" and "ResizeVolume with a disk's number" are calls of one method each.
std::string method_of(const Call& call) {
  const std::string name(name_of(call.method));
  return name.substr(0, name.find_first_of("( "));
}

// Of all versions that the driver may choose.
std::set<std::string> methods_of(const std::vector<Driver>& drivers) {
  std::set<std::string> methods;
  for (const Driver& driver : drivers) {
    for (const auto& [name, rows] : tables_of(driver)) {
      for (const Row& row : *rows) {
        if (const auto* call = std::get_if<Call>(&row.what)) methods.insert(method_of(*call));
      }
    }
  }
  return methods;
}

}  // namespace

TEST_CASE("The table of methods in modules/README.md is that of the drivers' tables") {
  const Uses expected = {
      {"AZD", methods_of(azuredisk())}, {"AZF", methods_of(azurefile())},
      {"EBS", methods_of(aws_ebs())},   {"GCP", methods_of(gcp_pd())},
      {"SMB", methods_of(csi_smb())},   {"VSP", methods_of(vsphere())},
  };
  std::set<std::string> drivers;
  for (const auto& [driver, methods] : expected) drivers.insert(driver);
  const Uses told = uses_in_readme(drivers);
  for (const auto& [driver, methods] : expected) {
    CAPTURE(driver);
    REQUIRE(told.contains(driver));
    CHECK(told.at(driver) == methods);
  }
}
