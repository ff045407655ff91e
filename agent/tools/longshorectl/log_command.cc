// `longshorectl log level`: how much the running agent writes.
#include "longshore/admin/v1.pb.h"
#include "tools/longshorectl/admin_call.h"
#include "tools/longshorectl/commands.h"

namespace longshore::ctl {

namespace messages = longshore::admin::v1;

int log_level(const Target& target, const Report& report, const std::string& level) {
  const auto show = [&](const messages::LogLevel& present) {
    const bool own = present.level() != present.configured();
    report.line(
        report.paint()(tone_of(present.level()), present.level()) +
        (own ? ", until the agent restarts; the configuration says " + present.configured() : ""));
  };
  if (level.empty()) {
    return ask_agent<messages::LogLevel>(target, report, "GetLogLevel",
                                         messages::GetLogLevelRequest(), show);
  }
  messages::SetLogLevelRequest request;
  request.set_level(level);
  return ask_agent<messages::LogLevel>(target, report, "SetLogLevel", request, show);
}

}  // namespace longshore::ctl
