#include "config/findings.h"

#include <algorithm>

#include "config/toml_text.h"

namespace longshore::config {

std::string text_of(const Place& place, const std::vector<std::string>& files) {
  return files[place.file] + ':' + std::to_string(place.line) + ':' + std::to_string(place.column);
}

std::string Findings::text(const std::vector<std::string>& files) const {
  std::vector<Finding> sorted = findings_;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::string text;
  for (const Finding& finding : sorted) {
    if (!text.empty()) text += '\n';
    text += text_of(finding.place, files) + ": " + without_control(finding.sentence);
  }
  return text;
}

}  // namespace longshore::config
