// What is known of a module without an instance of it.
#include <algorithm>
#include <filesystem>

#include "text/file_path.h"
#include "tools/module_check/checks.h"
#include "tools/module_check/process_facts.h"

namespace longshore::module_check {
namespace {

using module::v1::Option;
using module::v1::Value;

// The sentence without its advice, which stands apart here.
std::string cause_of(const Error& error) {
  const std::string text = error.message();
  const size_t end = error.advice().empty() ? text.size() : text.rfind("; " + error.advice());
  return text.substr(0, end);
}

void fail_with(Trial& trial, const Error& error, const char* advice) {
  trial.findings.fail(cause_of(error), error.advice().empty() ? advice : error.advice());
  trial.findings.does_not_serve();
}

bool fits_type(const Value& value, module::v1::OptionType type) {
  switch (type) {
    case module::v1::OPTION_TYPE_BOOL:
      return value.kind_case() == Value::kBoolValue;
    case module::v1::OPTION_TYPE_INT:
    case module::v1::OPTION_TYPE_DURATION:
      return value.kind_case() == Value::kIntValue;
    case module::v1::OPTION_TYPE_FLOAT:
      return value.kind_case() == Value::kFloatValue;
    case module::v1::OPTION_TYPE_STRING:
      return value.kind_case() == Value::kStringValue;
    case module::v1::OPTION_TYPE_STRINGS:
      return value.kind_case() == Value::kStringsValue;
    default:
      return false;
  }
}

void check_option(const Option& option, Findings& findings) {
  const std::string name = "the option " + option.name();
  const Value& value = option.default_value();
  const auto& words = option.one_of();
  if (!option.required() && !fits_type(value, option.type())) {
    findings.fail(name + " has no default of its type",
                  "give it a default_value, or required: true");
  } else if (!option.required() && option.has_range() &&
             (value.int_value() < option.min() || value.int_value() > option.max())) {
    findings.fail(name + " has a default out of its range", "change the one or the other");
  } else if (!option.required() && !words.empty() &&
             std::ranges::find(words, value.string_value()) == words.end()) {
    findings.fail(name + " has a default that is none of its words", "change the one or the other");
  }
  if (option.doc().empty()) {
    findings.warn(name + " has no doc", "say what it means: administrators read it in samples");
  }
}

bool has_annotation(const Trial& trial) {
  return std::ranges::any_of(trial.subject.files.file(), [](const auto& file) {
    return std::ranges::any_of(file.service(), [](const auto& service) {
      return std::ranges::any_of(service.method(),
                                 [](const auto& method) { return method.options().has_method(); });
    });
  });
}

}  // namespace

void check_file(Trial& trial) {
  if (trial.subject.file_fault) {
    fail_with(trial, *trial.subject.file_fault,
              "build the module with longshore_add_module(), or compare with longshore/abi.h");
  }
}

void check_description(Trial& trial) {
  const Subject& subject = trial.subject;
  if (subject.file_fault) return trial.findings.skip("the file was refused", "see the test file");
  if (subject.description_fault) {
    return fail_with(trial, *subject.description_fault,
                     "compare with longshore/module/v1.proto, and build the file's descriptors "
                     "with protoc --include_imports");
  }
  Findings& findings = trial.findings;
  for (const Option& option : subject.description.options) check_option(option, findings);
  if (subject.description.services.empty()) return;  // a controller
  if (subject.description.methods.empty()) {
    findings.warn("its services have no method", "add one, or leave the service out");
  }
  if (!has_annotation(trial)) {
    findings.warn("no method is annotated, so all count as changing things",
                  "say reads_only and idempotent; see longshore/annotations.proto");
  }
  if (subject.description.summary.empty()) {
    findings.warn("it has no summary", "say in one sentence what the module is for");
  }
  const std::string stem = text::file_path(subject.options.file).stem().string();
  if (stem != subject.entry.name) {
    findings.warn("it calls itself " + subject.entry.name + ", and its file is " + stem,
                  "name the module as its file is named");
  }
}

void check_load(Trial& trial) {
  const size_t threads = count_threads();
  const size_t files = count_open_files();
  try {
    load(trial);
  } catch (const std::exception& error) {
    trial.findings.does_not_serve();
    return trial.findings.fail(error.what(), "link it with -Wl,-z,defs to see what it lacks");
  }
  if (count_threads() != threads || count_open_files() != files) {
    trial.findings.fail("loading the file starts threads or opens files",
                        "do that in start: administrators may load a module to look at it");
  }
}

}  // namespace longshore::module_check
