#include "core/log_options.h"

namespace longshore::core {

observe::LogOptions log_options(const config::LogSettings& settings) {
  observe::LogOptions options;
  for (const auto level : {observe::Level::kDebug, observe::Level::kInfo, observe::Level::kWarning,
                           observe::Level::kError}) {
    if (settings.level == observe::name_of(level)) options.level = level;
  }
  options.format = settings.format == "json" ? observe::Format::kJson : observe::Format::kText;
  options.file = settings.file;
  return options;
}

}  // namespace longshore::core
