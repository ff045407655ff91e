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
  if (!reason_.empty()) fields_.push_back({"reason", reason_});
  log.write(all_ ? observe::Level::kInfo : observe::Level::kWarning,
            all_ ? "the limits of the module's process"
                 : "the module's process is not limited as configured",
            fields_);
}

}  // namespace longshore::supervise
