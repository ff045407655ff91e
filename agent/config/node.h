// A TOML file as a tree of plain values with their places, free of the library that read it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "config/findings.h"

namespace longshore::config {

struct Node;

// A key of a table with what it names. `place` is the key's own.
struct Member;

struct Node {
  using Table = std::vector<Member>;  // sorted by key, each key once
  using Array = std::vector<Node>;
  struct DateTime {};  // no key takes one

  std::variant<Table, Array, std::string, int64_t, double, bool, DateTime> value;
  Place place;  // a table's is its header or brace

  const Table* table() const { return std::get_if<Table>(&value); }
};

struct Member {
  std::string key;
  Place place;
  Node node;
};

// What a person calls the value's type: "a string", "an integer", ...
std::string_view type_name(const Node& node);

// Reads TOML. A syntax error or a duplicate key is a finding; the table is then empty.
Node parse_toml(std::string_view text, const std::string& file_name, size_t file,
                Findings& findings);

}  // namespace longshore::config
