// longshorectl's command line: what it offers, and what was chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>

#include "tools/longshorectl/commands.h"

namespace longshore::ctl {

struct CommandLine {
  Target target;
  std::optional<std::string> timeout;
  std::string output = "text";
  std::string colour = "auto";
  std::string method;
  std::string request;
  ConfigRequest config;
  std::string level;
  std::string request_id;
  int last = 0;  // 0: not asked for
  bool failed = false;
  TopRequest top;
  AuditRequest audit;
  CrashRequest crashes;
#if defined(_WIN32)
  ServiceRequest service;
#else
  KubeRequest kube;
#endif
  std::string module;
  std::string module_file;
  std::string object;
  // What the chosen command does.
  std::function<int(const Report&)> run;
};

// Describes all commands and options to `app`; parsing then fills `line`, which must live as long.
void describe(CLI::App& app, CommandLine& line);

// How the words that were typed can go on, for the shell; words that only the agent at the control
// socket knows are asked for there. Says nothing when it does not answer.
int complete_words(const std::vector<std::string>& words);

}  // namespace longshore::ctl
