// Rows with aligned columns, for people.
#pragma once

#include <string>
#include <vector>

namespace longshore::ctl {

class Table {
 public:
  explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  // The header and the rows, each on a line, without the last line's end.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace longshore::ctl
