#include "supervise/limit_report.h"

#include <string_view>

namespace longshore::supervise {

void LimitReport::add(const char* key, const char* by, const std::string& why_not,
                      const char* instead) {
  fields_.push_back({key, why_not.empty() ? by : instead});
  if (why_not.empty()) return;
  if (reason_.find(why_not) == std::string::npos) {
    reason_ += (reason_.empty() ? "" : "; ") + why_not;
  }
  all_ = all_ && std::string_view(instead) != kNone;
}

void LimitReport::write(observe::Log& log) {
  if (fields_.size() == 1) return;
  observe::Fields fields = fields_;
  if (!reason_.empty()) fields.push_back({"reason", reason_});
  log.write(all_ ? observe::Level::kInfo : observe::Level::kWarning,
            all_ ? "the limits of the module's process"
                 : "the module's process is not limited as configured",
            fields);
}

std::string LimitReport::words() const {
  std::string words;
  for (size_t i = 1; i < fields_.size(); ++i) {
    words += (words.empty() ? "" : " ") + std::string(fields_[i].key) + "=" + fields_[i].value;
  }
  return reason_.empty() ? words : words + " (" + reason_ + ")";
}

}  // namespace longshore::supervise
