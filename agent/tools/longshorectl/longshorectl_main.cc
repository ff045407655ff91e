// longshorectl: what an administrator asks a running agent, and does with its configuration.
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "config/toml_text.h"
#include "tools/cli_completion.h"
#include "tools/longshorectl/command_line.h"
#include "tools/longshorectl/terminal.h"
#include "tools/program_words.h"

namespace longshore::ctl {
namespace {

constexpr std::chrono::milliseconds kShortestInterval{100};
constexpr std::chrono::hours kLongestInterval{1};

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

Paint paint_for(const CommandLine& line, Stream stream) {
  return Paint(
      line.output != "json" &&
      wants_colours(line.colour, {is_terminal(stream), variable("NO_COLOR"), variable("TERM")}));
}

int fail_usage(const CLI::App& app, const CLI::ParseError& error,
               const std::vector<std::string>& words) {
  if (const std::string help = cli_completion::help_if_command_lacks(app, words);
      error.get_name() == "RequiredError" && !help.empty()) {
    print_error(PrintedText::lines(help));
    return kExitUsage;
  }
  const std::string meant = cli_completion::misspelling(app, words);
  print_error("longshorectl: " + PrintedText(meant.empty() ? std::string(error.what()) : meant) +
              "\nlongshorectl --help, or longshorectl COMMAND --help, tells how it is used.\n");
  return kExitUsage;
}

Result<void> read_times(CommandLine& line) {
  if (line.timeout) {
    const auto timeout = config::parse_duration(*line.timeout);
    if (!timeout) {
      return Error(StatusCode::kInvalidArgument, "read --timeout", *line.timeout)
          .advise("write it as \"10s\" or \"500ms\"");
    }
    line.target.timeout = line.target.patience = *timeout;
  }
  const auto interval = config::parse_duration(line.top.interval_text);
  if (!interval || *interval < kShortestInterval || *interval > kLongestInterval) {
    return Error(StatusCode::kInvalidArgument, "read --interval", line.top.interval_text)
        .advise("write it as \"2s\" or \"500ms\", from \"100ms\" to \"1h\"");
  }
  line.top.interval = *interval;
  return {};
}

int run(const std::vector<std::string>& words) {
  CommandLine line;
  CLI::App app("Asks the Longshore storage agent and works on its configuration.");
  describe(app, line);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // the last comes first
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version
    return fail_usage(app, error, words);
  }
  const Report report(line.output == "json", paint_for(line, Stream::kOutput),
                      paint_for(line, Stream::kErrors));
  if (const auto read = read_times(line); !read) return report.fail(kExitUsage, read.error());
  return line.run(report);
}

}  // namespace
}  // namespace longshore::ctl

int main(int argc, char** argv) {
  using namespace longshore;
  // Whoever started us may ignore it; a reader of ours that is gone ends us, as it does others.
#if !defined(_WIN32)
  std::signal(SIGPIPE, SIG_DFL);
#endif
  const std::vector<std::string> words = program_words(argc, argv);
  if (words.size() > 1 && words[0] == "__complete" && words[1] == "--") {
    return ctl::complete_words({words.begin() + 2, words.end()});
  }
  return ctl::run(words);
}
