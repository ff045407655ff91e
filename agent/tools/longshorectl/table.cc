#include "tools/longshorectl/table.h"

#include <algorithm>

#include "tools/longshorectl/report.h"

namespace longshore::ctl {
namespace {

// Characters, not bytes: every byte that does not continue a UTF-8 character begins one.
size_t width_of(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string on_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return printable(std::move(text));
}

}  // namespace

Table::Table(const std::vector<std::string>& header) {
  if (header.empty()) return;
  std::vector<Cell> row;
  row.reserve(header.size());
  for (const std::string& title : header) row.emplace_back(title, Tone::kHeading);
  rows_.push_back(std::move(row));
}

std::string Table::text(const Paint& paint) const {
  std::vector<size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i].text));
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    size_t gap = 0;  // only before what follows: no line ends in spaces
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string& cell = row[i].text;
      if (!cell.empty()) {
        line += std::string(gap, ' ') + paint(row[i].tone, on_one_line(cell));
        gap = 0;
      }
      gap += widths[i] - width_of(cell) + 2;
    }
    text += (&row == &rows_.front() ? "" : "\n") + line;
  }
  return text;
}

}  // namespace longshore::ctl
