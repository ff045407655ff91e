#include "tests/style/method_tables.h"

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

namespace longshore::style {
namespace {

constexpr const char* kPage = "tests/README.md";
constexpr const char* kNoMethod = "-";

using Names = std::set<std::string>;
// By version, of one group.
using Methods = std::map<std::string, Names>;

struct MethodRow {
  int line = 0;
  Names names;  // of all versions: "GetDiskStats (DiskStats)"
  std::vector<std::string> cells;
};

// The table of a group whose second column has this title, or one like it.
struct MethodTable {
  std::vector<std::string> titles;
  std::vector<MethodRow> rows;
};

// A group is what has a module of its name.
std::map<std::string, Methods> methods_by_group(const SourceTree& tree) {
  static const std::regex kProto(R"(sdk/proto/(\w+)/(v\w+)\.proto)");
  static const std::regex kRpc(R"(\n *rpc (\w+))");
  std::map<std::string, Methods> groups;
  for (const auto& [path, file] : tree) {
    std::smatch match;
    if (!std::regex_match(path, match, kProto)) continue;
    const std::string group = match[1], version = match[2];
    if (!tree.contains("modules/" + group + "/description.textproto")) continue;
    Names& methods = groups[group][version];
    for (std::sregex_iterator at(file.text.begin(), file.text.end(), kRpc), end; at != end; ++at) {
      methods.insert((*at)[1]);
    }
  }
  return groups;
}

Names names_in(const std::string& cell) {
  static const std::regex kName(R"(\w+)");
  Names names;
  for (std::sregex_iterator at(cell.begin(), cell.end(), kName), end; at != end; ++at) {
    names.insert(at->str());
  }
  return names;
}

// Without the spaces around them; empty where the line is no row of a table.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  if (!line.starts_with("| ") || !line.ends_with(" |")) return cells;
  std::istringstream text(line.substr(1));
  for (std::string cell; std::getline(text, cell, '|');) {
    cells.push_back(cell.size() < 2 ? "" : cell.substr(1, cell.size() - 2));
  }
  return cells;
}

MethodTable table_of(const std::string& page, const std::string& group, const std::regex& second) {
  MethodTable table;
  std::istringstream lines(page);
  bool is_inside = false;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with("|--")) continue;
    const auto cells = cells_of(line);
    if (is_inside && !cells.empty()) {
      table.rows.push_back(
          {number, names_in(cells.front()), std::vector(cells.begin() + 1, cells.end())});
    } else {
      is_inside = cells.size() > 1 && cells[0] == group && std::regex_match(cells[1], second);
      if (is_inside) table.titles.assign(cells.begin() + 1, cells.end());
    }
  }
  return table;
}

class GroupCheck {
 public:
  GroupCheck(std::string page, std::string group, const Methods& methods)
      : page_(std::move(page)), group_(std::move(group)), methods_(methods) {}

  Findings findings() {
    check_layers();
    check_versions();
    return std::move(findings_);
  }

 private:
  void say(int line, const std::string& sentence) {
    findings_.push_back(finding(kPage, line, group_ + ": " + sentence));
  }

  void check_layers() {
    Names told;
    for (const MethodRow& row : table_of(page_, group_, std::regex("fake")).rows) {
      told.insert(row.names.begin(), row.names.end());
    }
    Names all;
    for (const auto& [version, names] : methods_) all.insert(names.begin(), names.end());
    for (const std::string& name : all) {
      if (!told.contains(name)) say(1, name + " is not in the table of layers");
    }
  }

  void check_versions() {
    const MethodTable table = table_of(page_, group_, std::regex("v\\d\\w*"));
    for (const auto& [version, names] : methods_) {
      const auto column = std::find(table.titles.begin(), table.titles.end(), version);
      if (column == table.titles.end()) {
        say(1, version + " has no column");
        continue;
      }
      check_column(table, version, static_cast<size_t>(column - table.titles.begin()), names);
    }
  }

  void check_column(const MethodTable& table, const std::string& version, size_t column,
                    Names missing) {
    for (const MethodRow& row : table.rows) {
      std::string method;
      for (const std::string& name : row.names) {
        if (missing.erase(name) != 0) method = name;
      }
      const std::string cell = column < row.cells.size() ? row.cells[column] : "";
      if (method.empty() != (cell == kNoMethod)) {
        say(row.line, version + (method.empty() ? " has no such method" : " has " + method));
      } else if (!method.empty() && cell != "Wine" && cell != "made up") {
        say(row.line, version + "." + method + " is run nowhere that is told of: " + cell);
      }
    }
    for (const std::string& name : missing) say(1, version + "." + name + " is in no row");
  }

  const std::string page_;
  const std::string group_;
  const Methods& methods_;
  Findings findings_;
};

}  // namespace

Findings check_method_tables(const SourceTree& tree) {
  Findings findings;
  const auto page = tree.find(kPage);
  const std::string text = page == tree.end() ? "" : page->second.text;
  for (const auto& [group, methods] : methods_by_group(tree)) {
    const Findings found = GroupCheck(text, group, methods).findings();
    findings.insert(findings.end(), found.begin(), found.end());
  }
  return findings;
}

}  // namespace longshore::style
