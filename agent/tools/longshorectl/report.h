// What longshorectl says and how it ends: the exit codes, and errors for people or for programs.
#pragma once

#include <google/protobuf/message.h>

#include <string>

#include "longshore/result.hpp"
#include "tools/longshorectl/paint.h"

namespace longshore::ctl {

// Documented in --help; scripts rely on the numbers.
enum ExitCode : int {
  kExitOk = 0,
  kExitUsage = 1,
  kExitFaultyInput = 2,   // configuration, JSON of a request, audit log
  kExitNotReachable = 3,  // nobody answers at the socket, or at the API server
  kExitCallFailed = 4,    // the call was answered with an error
};

// Results go to standard output, errors to standard error.
class Report {
 public:
  Report(bool json, Paint output, Paint errors) : json_(json), output_(output), errors_(errors) {}

  bool json() const { return json_; }
  // The colours of standard output, for people only.
  const Paint& paint() const { return output_; }

  // A line on standard output, out at once, so that whoever reads a stream sees each when it comes.
  void line(const PrintedText& text) const;
  // The message as JSON on one line.
  void message(const google::protobuf::Message& message) const;
  // Says the error and answers `code`. An error of a call begins with gRPC's name of its code.
  int fail(ExitCode code, const Error& error) const;
  // The same for an error that has a finding in each of its lines: of a configuration.
  int fail_in_lines(ExitCode code, const Error& error) const;

 private:
  int fail(ExitCode code, const Error& error, const PrintedText& message) const;

  const bool json_;
  const Paint output_;
  const Paint errors_;
};

// On standard output, out at once.
void print(const PrintedText& text);
void print_error(const PrintedText& text);

}  // namespace longshore::ctl
