#include "config/findings.h"

#include <algorithm>

#include "text/escape.h"

namespace longshore::config {

std::string text_of(const Place& place, const std::vector<std::string>& files) {
  return files[place.file] + ':' + std::to_string(place.line) + ':' + std::to_string(place.column);
}

std::vector<std::string> Findings::lines(const std::vector<std::string>& files) const {
  std::vector<Finding> sorted = findings_;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<std::string> lines;
  lines.reserve(sorted.size());
  for (const Finding& finding : sorted) {
    lines.push_back(text_of(finding.place, files) + ": " + text::escaped(finding.sentence));
  }
  return lines;
}

std::string Findings::text(const std::vector<std::string>& files) const {
  std::string text;
  for (const std::string& line : lines(files)) text += (text.empty() ? "" : "\n") + line;
  return text;
}

}  // namespace longshore::config
