#include "main/file_findings.h"

#include <optional>
#include <system_error>

#include "config/findings.h"
#include "observe/append_file.h"

namespace longshore {
namespace {

// Nothing, too, where only this process may not look.
std::optional<Error> error_of(const std::string& file) {
  if (file.empty()) return std::nullopt;
  const auto checked = observe::AppendFile::check(file);
  if (checked || checked.error().system() == std::errc::permission_denied) return std::nullopt;
  return checked.error();
}

}  // namespace

std::vector<std::string> file_findings(const config::Loaded& loaded) {
  const config::AgentSettings& agent = loaded.configuration.agent;
  config::Findings findings;
  const auto add = [&](const char* key, const Error& error) {
    const auto origin = loaded.origins.find(key);
    const config::Place place =
        origin == loaded.origins.end() ? config::Place{} : origin->second.place;
    findings.add(place, key + (": " + error.message()));
  };
#if !defined(_WIN32)
  // Its folder would be made.
  if (const auto error = error_of(agent.log.file); error && error->code() != StatusCode::kNotFound)
    add("agent.log.file", *error);
#endif
  if (const auto error = error_of(agent.audit.file)) add("agent.audit.file", *error);
  return findings.lines(loaded.configuration.files);
}

}  // namespace longshore
