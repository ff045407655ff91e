// The module that is checked: what its file says, and what the command line allows to do with it.
//
// Read once, before any test; constant from then on.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "loader/description.h"
#include "loader/image_facts.h"
#include "longshore/module/descriptors.pb.h"
#include "longshore/testing/options.hpp"

namespace longshore::module_check {

// What the command line says.
struct Options {
  std::string file;
  uint64_t seed = 0;
  std::vector<std::string> only;      // patterns of tests; empty: all
  std::vector<std::string> settings;  // key=value
  std::vector<std::string> except;    // patterns of methods that are not called
  bool call_mutating = false;
  std::chrono::nanoseconds time_limit{};
};

struct Subject {
  Options options;
  // Why the agent would not load the file, if it would not.
  std::optional<Error> file_fault;
  std::optional<Error> description_fault;
  loader::EntryFacts entry;
  loader::ModuleDescription description;
  module::descriptors::FileSet files;
  testing::StartOptions start;  // with the settings of the command line

  bool may_be_loaded() const { return !file_fault && !description_fault; }
};

// An error is a mistake of the command line. What is wrong with the file stands in the subject.
Result<Subject> read_subject(const Options& options);

// Whether a shell pattern (*, ?) fits the whole name; with an empty list nothing does.
bool fits_one_of(const std::vector<std::string>& patterns, const std::string& name);

// The methods that tests call. `with_valid`: also those that get requests which can be parsed, so
// methods that change something are left out unless --call-mutating is given.
std::vector<const router::Method*> methods_to_call(const Subject& subject, bool with_valid);

// The descriptor of a method's request or answer; null if the files do not have it.
const module::descriptors::Message* request_type(const Subject& subject,
                                                 const router::Method& method);
const module::descriptors::Message* answer_type(const Subject& subject,
                                                const router::Method& method);
// The descriptor of a message by the name that fields give it: ".acme.shelf.v1.Box".
const module::descriptors::Message* message_type(const module::descriptors::FileSet& files,
                                                 const std::string& name);

}  // namespace longshore::module_check
