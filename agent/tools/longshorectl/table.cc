#include "tools/longshorectl/table.h"

#include <algorithm>

namespace longshore::ctl {
Table::Table(const std::vector<std::string>& header) {
  if (header.empty()) return;
  std::vector<Cell> row;
  row.reserve(header.size());
  for (const std::string& title : header) row.emplace_back(title, Tone::kHeading);
  rows_.push_back(std::move(row));
}

PrintedText Table::text(const Paint& paint) const {
  std::vector<size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].text.width());
  }
  PrintedText text;
  for (const auto& row : rows_) {
    if (&row != &rows_.front()) text += "\n";
    size_t gap = 0;  // only before what follows: no line ends in spaces
    for (size_t i = 0; i < row.size(); ++i) {
      const PrintedText& cell = row[i].text;
      if (!cell.empty()) {
        text += std::string(gap, ' ') + paint(row[i].tone, cell);
        gap = 0;
      }
      gap += widths[i] - cell.width() + 2;
    }
  }
  return text;
}

}  // namespace longshore::ctl
