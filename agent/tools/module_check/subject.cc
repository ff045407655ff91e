#include "tools/module_check/subject.h"

#include <algorithm>

#include "loader/module_file.h"
#include "loader/negotiate.h"
#include "tools/module_check/setting_text.h"

namespace longshore::module_check {
namespace {

namespace descriptors = module::descriptors;

// Whether `*` and `?` make the pattern fit the name.
bool fits(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*') {
    return fits(pattern.substr(1), name) || (!name.empty() && fits(pattern, name.substr(1)));
  }
  if (name.empty() || (pattern[0] != '?' && pattern[0] != name[0])) return false;
  return fits(pattern.substr(1), name.substr(1));
}

std::string scoped(const std::string& scope, const std::string& name) {
  return scope.empty() ? "." + name : scope + "." + name;
}

const descriptors::Message* find_in(const descriptors::Message& message, const std::string& own,
                                    const std::string& name) {
  if (own == name) return &message;
  if (!name.starts_with(own + ".")) return nullptr;
  for (const auto& nested : message.nested_type()) {
    if (const auto* found = find_in(nested, scoped(own, nested.name()), name)) return found;
  }
  return nullptr;
}

const descriptors::Method* descriptor_of(const Subject& subject, const router::Method& method) {
  for (const auto& file : subject.files.file()) {
    const std::string scope = file.package().empty() ? "" : file.package() + ".";
    for (const auto& service : file.service()) {
      if (scope + service.name() != method.service) continue;
      for (const auto& each : service.method()) {
        if (each.name() == method.name) return &each;
      }
    }
  }
  return nullptr;
}

// What the agent reads of the file, and what keeps it from loading it.
Result<void> read_file(Subject& subject) {
  const Result<loader::ModuleFile> file = loader::ModuleFile::open(subject.options.file, {});
  if (!file) return file.error();
  Result<loader::ImageFacts> image = loader::read_image(file->bytes());
  if (!image) return image.error();
  subject.entry = std::move(image->entry);
  image->entry = subject.entry;
  return loader::check_loadable(*image);
}

}  // namespace

bool fits_one_of(const std::vector<std::string>& patterns, const std::string& name) {
  return std::ranges::any_of(patterns,
                             [&](const std::string& pattern) { return fits(pattern, name); });
}

Result<Subject> read_subject(const Options& options) {
  Subject subject;
  subject.options = options;
  if (const Result<void> read = read_file(subject); !read) {
    subject.file_fault = read.error();
    return subject;
  }
  Result<loader::ModuleDescription> description =
      loader::parse_description(subject.entry.description);
  if (!description) {
    subject.description_fault = description.error();
    return subject;
  }
  subject.description = *std::move(description);
  module::v1::Description message;
  if (message.ParseFromString(subject.entry.description)) {
    subject.files.ParseFromString(message.file_descriptor_set());
  }
  auto settings = parse_settings(options.settings, subject.description.options);
  if (!settings) return settings.error();
  subject.start.settings = *std::move(settings);
  return subject;
}

std::vector<const router::Method*> methods_to_call(const Subject& subject, bool with_valid) {
  std::vector<const router::Method*> methods;
  for (const router::Method& method : subject.description.methods) {
    if (with_valid && !method.reads_only && !subject.options.call_mutating) continue;
    if (!fits_one_of(subject.options.except, method.full_name)) methods.push_back(&method);
  }
  return methods;
}

const descriptors::Message* message_type(const descriptors::FileSet& files,
                                         const std::string& name) {
  for (const auto& file : files.file()) {
    const std::string scope = file.package().empty() ? "" : "." + file.package();
    for (const auto& message : file.message_type()) {
      if (const auto* found = find_in(message, scoped(scope, message.name()), name)) return found;
    }
  }
  return nullptr;
}

const descriptors::Message* request_type(const Subject& subject, const router::Method& method) {
  const auto* found = descriptor_of(subject, method);
  return found ? message_type(subject.files, found->input_type()) : nullptr;
}

const descriptors::Message* answer_type(const Subject& subject, const router::Method& method) {
  const auto* found = descriptor_of(subject, method);
  return found ? message_type(subject.files, found->output_type()) : nullptr;
}

}  // namespace longshore::module_check
