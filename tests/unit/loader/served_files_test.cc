// What reflection may tell of some services: theirs, and nothing else of their files.
#include "loader/served_files.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "loader/service_catalog.h"
#include "longshore/module/descriptors.pb.h"

namespace longshore::loader {
namespace {

namespace descriptors = module::descriptors;
using Names = std::vector<std::string>;

void add_field(descriptors::Message& message, const std::string& name, const std::string& type) {
  auto& field = *message.add_field();
  field.set_name(name);
  field.set_type(11);
  field.set_type_name(type);
}

descriptors::File& add_file(descriptors::FileSet& files, const std::string& name,
                            const std::string& package, const Names& imports) {
  auto& file = *files.add_file();
  file.set_name(name);
  file.set_package(package);
  for (const std::string& import : imports) file.add_dependency(import);
  return file;
}

descriptors::Message& add_message(descriptors::File& file, const std::string& name) {
  auto& message = *file.add_message_type();
  message.set_name(name);
  return message;
}

void add_service(descriptors::File& file, const std::string& name, const std::string& request,
                 const std::string& response) {
  auto& service = *file.add_service();
  service.set_name(name);
  auto& method = *service.add_method();
  method.set_name("Do");
  method.set_input_type(request);
  method.set_output_type(response);
}

// Two services in one file, which share a type and have one each of their own in imported files.
descriptors::FileSet two_services() {
  descriptors::FileSet files;
  auto& options = add_file(files, "google/protobuf/descriptor.proto", "google.protobuf", {});
  add_message(options, "MethodOptions");
  add_message(options, "NobodyUsesThis");

  auto& notes = add_file(files, "notes.proto", "notes", {"google/protobuf/descriptor.proto"});
  auto& note = *notes.add_extension();
  note.set_name("note");
  note.set_extendee(".google.protobuf.MethodOptions");
  note.set_type_name(".notes.Note");
  add_message(notes, "Note");
  add_message(notes, "Hidden");

  auto& shared = add_file(files, "shared.proto", "acme", {});
  add_message(shared, "Outer").add_nested_type()->set_name("Inner");
  shared.add_enum_type()->set_name("Size");
  shared.add_enum_type()->set_name("HiddenSize");
  add_message(shared, "HiddenShared");

  auto& hidden = add_file(files, "hidden.proto", "acme", {});
  add_message(hidden, "Secret");

  auto& file =
      add_file(files, "acme/v1.proto", "acme.v1", {"hidden.proto", "shared.proto", "notes.proto"});
  file.add_public_dependency(0);
  file.set_source_code_info("comments of the hidden service");
  auto& request = add_message(file, "Request");
  add_field(request, "inner", ".acme.Outer.Inner");
  add_field(request, "again", ".acme.v1.Request");
  add_field(add_message(file, "Response"), "size", ".acme.Size");
  add_field(add_message(file, "HiddenRequest"), "secret", ".acme.Secret");
  add_service(file, "Open", ".acme.v1.Request", ".acme.v1.Response");
  add_service(file, "Hidden", ".acme.v1.HiddenRequest", ".acme.v1.Response");
  return files;
}

ModuleDescription module_with(const descriptors::FileSet& files, Names services) {
  ModuleDescription description;
  description.services = std::move(services);
  for (const auto& file : files.file()) {
    description.files.push_back(std::make_shared<const DescribedFile>(file));
  }
  return description;
}

descriptors::FileSet parsed(const Names& files) {
  descriptors::FileSet set;
  for (const std::string& bytes : files) REQUIRE(set.add_file()->ParseFromString(bytes));
  return set;
}

template <typename Parts>
Names names_of(const Parts& parts) {
  Names names;
  for (const auto& part : parts) names.push_back(part.name());
  return names;
}

const descriptors::File& named(const descriptors::FileSet& files, const std::string& name) {
  const auto found =
      std::ranges::find_if(files.file(), [&](const auto& file) { return file.name() == name; });
  REQUIRE(found != files.file().end());
  return *found;
}

Names imports_of(const descriptors::File& file) {
  return {file.dependency().begin(), file.dependency().end()};
}

TEST_CASE("Of a file, reflection tells the services that are served and what they use") {
  ServiceCatalog catalog;
  catalog.add(module_with(two_services(), {"acme.v1.Open", "acme.v1.Hidden"}), true);
  const auto served = catalog.files_of({"acme.v1.Open"});
  const auto files = parsed(served->file_with_symbol("acme.v1.Open"));
  Names names = names_of(files.file());
  std::ranges::sort(names);
  CHECK(names ==
        Names{"acme/v1.proto", "google/protobuf/descriptor.proto", "notes.proto", "shared.proto"});

  const auto& file = named(files, "acme/v1.proto");
  CHECK(names_of(file.service()) == Names{"Open"});
  CHECK(names_of(file.message_type()) == Names{"Request", "Response"});
  CHECK(imports_of(file) == Names{"notes.proto", "shared.proto"});
  CHECK(file.public_dependency_size() == 0);
  CHECK_FALSE(file.has_source_code_info());

  const auto& shared = named(files, "shared.proto");
  CHECK(names_of(shared.message_type()) == Names{"Outer"});
  CHECK(names_of(shared.message_type(0).nested_type()) == Names{"Inner"});
  CHECK(names_of(shared.enum_type()) == Names{"Size"});
}

TEST_CASE("The extensions that explain options are told, and protobuf's own files whole") {
  ServiceCatalog catalog;
  catalog.add(module_with(two_services(), {"acme.v1.Open", "acme.v1.Hidden"}), true);
  const auto files = parsed(catalog.files_of({"acme.v1.Open"})->file("notes.proto"));
  REQUIRE(files.file_size() == 2);
  const auto& notes = named(files, "notes.proto");
  CHECK(names_of(notes.extension()) == Names{"note"});
  CHECK(names_of(notes.message_type()) == Names{"Note"});
  CHECK(imports_of(notes) == Names{"google/protobuf/descriptor.proto"});
  CHECK(named(files, "google/protobuf/descriptor.proto").message_type_size() == 2);
}

TEST_CASE("What is not served is found by no name") {
  ServiceCatalog catalog;
  catalog.add(module_with(two_services(), {"acme.v1.Open", "acme.v1.Hidden"}), true);
  const auto served = catalog.files_of({"acme.v1.Open"});
  for (const char* symbol : {"acme.v1.Hidden", "acme.v1.Hidden.Do", "acme.v1.HiddenRequest",
                             "acme.v1.HiddenRequest.secret", "acme.Secret", "notes.Hidden"}) {
    INFO(symbol);
    CHECK(served->file_with_symbol(symbol).empty());
    CHECK_FALSE(catalog.files_of({"acme.v1.Open", "acme.v1.Hidden"})
                    ->file_with_symbol("acme.Secret")
                    .empty());
  }
  CHECK(served->file("hidden.proto").empty());
  CHECK(catalog.files_of({})->file("acme/v1.proto").empty());
  CHECK(catalog.files_of({"acme.v1.Unknown"})->file("acme/v1.proto").empty());
}

TEST_CASE("A service is explained by the module that serves it, not by another that names it") {
  descriptors::FileSet pretending;
  auto& file = add_file(pretending, "other.proto", "acme.v1", {});
  add_message(file, "Lie");
  add_service(file, "Open", ".acme.v1.Lie", ".acme.v1.Lie");
  ServiceCatalog catalog;
  catalog.add(module_with(pretending, {}), true);
  catalog.add(module_with(two_services(), {"acme.v1.Open"}), true);
  const auto served = catalog.files_of({"acme.v1.Open"});
  CHECK(served->file("other.proto").empty());
  CHECK(named(parsed(served->file_with_symbol("acme.v1.Open")), "acme/v1.proto").service_size() ==
        1);
}

TEST_CASE("Descriptors of messages that hold each other, or import each other, come to an end") {
  descriptors::FileSet files;
  auto& one = add_file(files, "one.proto", "", {"two.proto", "absent.proto"});
  auto& two = add_file(files, "two.proto", "", {"one.proto"});
  add_field(add_message(one, "One"), "two", ".Two");
  add_field(add_message(two, "Two"), "one", ".One");
  add_field(*two.mutable_message_type(0), "absent", ".Absent");
  add_service(one, "Service", ".One", ".Absent.Too");
  ServiceCatalog catalog;
  catalog.add(module_with(files, {"Service"}), true);
  const auto told = parsed(catalog.files_of({"Service"})->file_with_symbol("Service"));
  CHECK(names_of(told.file()) == Names{"one.proto", "two.proto"});
}

}  // namespace
}  // namespace longshore::loader
