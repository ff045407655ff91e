// Descriptions as modules carry them, and ones that no build of ours would make.
#include "loader/description.h"

#include <catch2/catch.hpp>
#include <functional>

#include "longshore/module/descriptors.pb.h"
#include "router/message_schema.h"

namespace longshore::loader {
namespace {

namespace descriptors = module::descriptors;

// A service with one method on one object, and its files.
struct Parts {
  module::v1::Description description;
  descriptors::FileSet files;

  Parts() {
    description.set_summary("Does things.");
    description.add_services("acme.v1.Array");
    auto& file = *files.add_file();
    file.set_name("acme/v1.proto");
    file.set_package("acme.v1");
    auto& request = *file.add_message_type();
    request.set_name("GrowRequest");
    auto& name = *request.add_field();
    name.set_name("volume");
    name.set_number(3);
    name.set_type(9);
    name.set_label(1);
    file.add_message_type()->set_name("GrowResponse");
    auto& service = *file.add_service();
    service.set_name("Array");
    auto& method = *service.add_method();
    method.set_name("Grow");
    method.set_input_type(".acme.v1.GrowRequest");
    method.set_output_type(".acme.v1.GrowResponse");
    method.mutable_options()->mutable_method()->set_idempotent(true);
    method.mutable_options()->mutable_method()->set_object_field("volume");
    auto& endpoint = *description.add_csi_proxy_endpoints();
    endpoint.set_group("array");
    endpoint.set_version("v1");
    endpoint.set_service("acme.v1.Array");
    auto& option = *description.add_options();
    option.set_name("pool");
    option.set_type(module::v1::OPTION_TYPE_STRING);
  }

  descriptors::File& file() { return *files.mutable_file(0); }
  descriptors::Method& method() { return *file().mutable_service(0)->mutable_method(0); }
  descriptors::Field& field() { return *file().mutable_message_type(0)->mutable_field(0); }

  Result<ModuleDescription> parse() {
    description.set_file_descriptor_set(files.SerializeAsString());
    return parse_description(description.SerializeAsString());
  }
};

TEST_CASE("A description tells services, methods, objects, endpoints and options") {
  Parts parts;
  auto& password = *parts.file().mutable_message_type(0)->add_field();
  password.set_name("password");
  password.set_number(4);
  password.mutable_options()->set_secret(true);
  const auto description = parts.parse();
  REQUIRE(description);
  CHECK(description->summary == "Does things.");
  CHECK_FALSE(description->may_overlap);
  CHECK(description->services == std::vector<std::string>{"acme.v1.Array"});
  REQUIRE(description->methods.size() == 1);
  const router::Method& method = description->methods[0];
  CHECK(method.full_name == "acme.v1.Array/Grow");
  CHECK(method.object_field == 3);
  CHECK(method.idempotent);
  CHECK_FALSE(method.reads_only);
  CHECK_FALSE(method.server_streaming);
  REQUIRE(method.request_schema);
  CHECK(method.request_schema->fields.at(3).name == "volume");
  CHECK_FALSE(method.request_schema->fields.at(3).secret);
  CHECK(method.request_schema->fields.at(4).secret);
  REQUIRE(description->csi_proxy_endpoints.size() == 1);
  CHECK(description->csi_proxy_endpoints[0].version == "v1");
  CHECK(description->options.size() == 1);
  REQUIRE(description->files.size() == 1);
  for (const char* symbol :
       {"acme.v1.GrowRequest", "acme.v1.GrowRequest.volume", "acme.v1.GrowRequest.password",
        "acme.v1.GrowResponse", "acme.v1.Array", "acme.v1.Array.Grow"}) {
    CHECK(description->files[0]->defines(symbol));
  }
  for (const char* other : {"", "acme.v1", "acme.v1.GrowRequest.volum", "acme.v1.Array/Grow"}) {
    CHECK_FALSE(description->files[0]->defines(other));
  }
}

TEST_CASE("What a module tells the agent alone is not among what it serves") {
  Parts parts;
  CHECK_FALSE(parts.parse()->health_check);
  CHECK_FALSE(parts.parse()->metrics);
  CHECK_FALSE(parts.parse()->describe_object);
  auto& file = *parts.files.add_file();
  file.set_name("longshore/module/v1.proto");
  file.set_package("longshore.module.v1");
  file.add_message_type()->set_name("Nothing");
  for (const auto& [name, method_name] :
       {std::pair("Health", "Check"), std::pair("Metrics", "Collect"),
        std::pair("Objects", "Describe")}) {
    auto& service = *file.add_service();
    service.set_name(name);
    auto& method = *service.add_method();
    method.set_name(method_name);
    method.set_input_type(".longshore.module.v1.Nothing");
    method.set_output_type(".longshore.module.v1.Nothing");
    parts.description.add_services(std::string("longshore.module.v1.") + name);
  }
  const auto description = parts.parse();
  REQUIRE(description);
  REQUIRE(description->health_check);
  CHECK(description->health_check->full_name == "longshore.module.v1.Health/Check");
  REQUIRE(description->metrics);
  CHECK(description->metrics->full_name == "longshore.module.v1.Metrics/Collect");
  REQUIRE(description->describe_object);
  CHECK(description->describe_object->full_name == "longshore.module.v1.Objects/Describe");
  CHECK(description->services == std::vector<std::string>{"acme.v1.Array"});
  CHECK(description->methods.size() == 1);
}

struct BadDescription {
  std::function<void(Parts&)> spoil;
  std::string why;
};

TEST_CASE("Fields of requests are known wherever their messages are defined") {
  Parts parts;
  auto& other = *parts.files.add_file();
  other.set_name("acme/other.proto");  // without a package
  auto& outer = *other.add_message_type();
  outer.set_name("Outer");
  auto& inner = *outer.add_nested_type();
  inner.set_name("Inner");
  auto& key = *inner.add_field();
  key.set_name("key");
  key.set_number(1);
  key.set_type(9);
  key.mutable_options()->set_secret(true);
  auto& field = *parts.file().mutable_message_type(0)->add_field();
  field.set_name("inners");
  field.set_number(5);
  field.set_type(11);
  field.set_label(3);
  field.set_type_name(".Outer.Inner");
  auto& again = *parts.file().mutable_message_type(0)->add_field();  // of one number
  again.set_name("inners2");
  again.set_number(5);
  again.mutable_options()->set_secret(true);
  auto description = parts.parse();
  REQUIRE(description);
  const auto schema = description->methods.at(0).request_schema;
  *description = ModuleDescription();  // what a method knows outlives the description
  const router::FieldSchema& inners = schema->fields.at(5);
  CHECK(inners.repeated);
  CHECK(inners.secret);
  REQUIRE(inners.message);
  CHECK(inners.message->fields.at(1).secret);
  parts.method().set_input_type(".acme.v1.Nowhere");
  parts.method().mutable_options()->mutable_method()->clear_object_field();
  description = parts.parse();
  REQUIRE(description);
  REQUIRE(description->methods.at(0).request_schema);
  CHECK(description->methods.at(0).request_schema->fields.empty());
}

TEST_CASE("A description that cannot be trusted is refused with its reason") {
  const std::string bad_object =
      "the object_field of acme.v1.Array/Grow is not a plain string or integer field of its "
      "request";
  const auto [spoil, why] = GENERATE_COPY(values<BadDescription>({
      {[](Parts& parts) { parts.description.clear_services(); }, "it names no service"},
      {[](Parts& parts) { parts.description.add_services("../../etc"); },
       "a service has the impossible name \"../../etc\""},
      {[](Parts& parts) { parts.description.add_services("acme..Array"); },
       "a service has the impossible name \"acme..Array\""},
      {[](Parts& parts) { parts.description.add_services(".acme"); },
       "a service has the impossible name \".acme\""},
      {[](Parts& parts) { parts.description.add_services("acme.1st"); },
       "a service has the impossible name \"acme.1st\""},
      {[](Parts& parts) { parts.description.add_services("acme."); },
       "a service has the impossible name \"acme.\""},
      {[](Parts& parts) { parts.description.add_services("acme.v1.Array"); },
       "it names the service acme.v1.Array twice"},
      {[](Parts& parts) { parts.description.add_services("acme.v1.Other"); },
       "there is no descriptor of the service acme.v1.Other"},
      {[](Parts& parts) { parts.description.add_calls("acme.v1.Shelf"); },
       "it calls the impossible method \"acme.v1.Shelf\""},
      {[](Parts& parts) { parts.description.add_calls("acme.v1.Shelf/\n"); },
       "it calls the impossible method \"acme.v1.Shelf/\n\""},
      {[](Parts& parts) { parts.description.add_calls("/Read"); },
       "it calls the impossible method \"/Read\""},
      {[](Parts& parts) { parts.method().set_name("Gr/ow"); },
       "a method of acme.v1.Array has no proper name"},
      {[](Parts& parts) {
         *parts.file().mutable_service(0)->add_method() = descriptors::Method(parts.method());
       },
       "it has acme.v1.Array/Grow twice"},
      {[](Parts& parts) { parts.method().set_client_streaming(true); },
       "acme.v1.Array/Grow takes a stream of requests, which this version of the ABI does not "
       "have"},
      {[](Parts& parts) { parts.method().set_input_type(".acme.v1.Nothing"); }, bad_object},
      {[](Parts& parts) { parts.field().set_name("disk"); }, bad_object},
      {[](Parts& parts) { parts.field().set_label(3); }, bad_object},
      {[](Parts& parts) { parts.field().set_number(0); }, bad_object},
      {[](Parts& parts) { parts.field().set_number(-3); }, bad_object},
      {[](Parts& parts) { parts.field().set_type(11); }, bad_object},
      {[](Parts& parts) { parts.field().mutable_options()->set_secret(true); }, bad_object},
      {[](Parts& parts) { parts.description.mutable_csi_proxy_endpoints(0)->set_group("a/b"); },
       "a csi-proxy endpoint has no proper group or version"},
      {[](Parts& parts) { parts.description.mutable_csi_proxy_endpoints(0)->set_service("x.Y"); },
       "the csi-proxy endpoint array-v1 is for a service that the module does not serve"},
      {[](Parts& parts) { *parts.description.add_options() = parts.description.options(0); },
       "an option has no proper name, or one that another has"},
      {[](Parts& parts) { parts.description.mutable_options(0)->set_name("a b"); },
       "an option has no proper name, or one that another has"},
      {[](Parts& parts) {
         parts.description.mutable_options(0)->set_type(module::v1::OPTION_TYPE_UNSPECIFIED);
       },
       "the option pool has no type"},
      {[](Parts& parts) { parts.description.add_kube_grants()->set_name("a.b"); },
       "a kube_grant has no proper name, or one that another has"},
      {[](Parts& parts) {
         for (int i = 0; i < 2; ++i) parts.description.add_kube_grants()->set_name("volumes");
       },
       "a kube_grant has no proper name, or one that another has"},
      {[](Parts& parts) { parts.description.set_wait_for_driver_option("address"); },
       "its wait_for_driver_option is no option that is a string"},
      {[](Parts& parts) {
         parts.description.mutable_options(0)->set_type(module::v1::OPTION_TYPE_INT);
         parts.description.set_wait_for_driver_option("pool");
       },
       "its wait_for_driver_option is no option that is a string"},
      {[](Parts& parts) { parts.description.set_role_file(std::string(257, 'x')); },
       "its role_file is longer than 256 characters, or has some that are not visible ASCII"},
      {[](Parts& parts) { parts.description.set_role_file("rbac\n.yaml"); },
       "its role_file is longer than 256 characters, or has some that are not visible ASCII"},
      {[](Parts& parts) { parts.description.set_lease("attacher-{driver}"); },
       "its lease is named after a driver, and it has no wait_for_driver_option"},
      {[](Parts& parts) {
         for (int i = 0; i < 4097; ++i) parts.description.add_options();
       },
       "it lists more than 4096 things of a kind"},
  }));
  Parts parts;
  spoil(parts);
  const auto description = parts.parse();
  REQUIRE_FALSE(description);
  CHECK(description.error().code() == StatusCode::kInvalidArgument);
  CHECK(description.error().message() == "cannot read the module's description: " + why);
}

TEST_CASE("Bytes that are no message are refused") {
  for (const std::string& bytes :
       {std::string("\xff\xff\xff"), std::string(100, '\x0a'), std::string("\x7a\x05garb")}) {
    const auto description = parse_description(bytes);
    REQUIRE_FALSE(description);
    CHECK(description.error().message() ==
          "cannot read the module's description: it is not a valid message");
  }
  module::v1::Description description;
  description.add_services("a.B");
  description.set_file_descriptor_set("\xff\xff");
  CHECK(parse_description(description.SerializeAsString()).error().message() ==
        "cannot read the module's description: its descriptors are not a valid FileDescriptorSet");
}

TEST_CASE("A controller may serve nothing, and never overlaps") {
  Parts parts;
  parts.description.clear_services();
  parts.description.clear_csi_proxy_endpoints();
  parts.description.set_kind(module::v1::KIND_CONTROLLER);
  const auto description = parts.parse();
  REQUIRE(description);
  CHECK(description->is_controller);
  CHECK(description->services.empty());
  parts.description.set_overlap(module::v1::OVERLAP_ALLOWED);
  CHECK_FALSE(parts.parse());
}

TEST_CASE("Only a server stream is long_running") {
  Parts parts;
  parts.method().mutable_options()->mutable_method()->set_long_running(true);
  CHECK_FALSE(parts.parse());
  parts.method().set_server_streaming(true);
  const auto description = parts.parse();
  REQUIRE(description);
  CHECK(description->methods.at(0).long_running);
}

TEST_CASE("What the agent itself serves no module may") {
  const auto described = [](const std::string& package) {
    Parts parts;
    parts.description.clear_csi_proxy_endpoints();
    parts.description.set_services(0, package + ".Array");
    parts.file().set_package(package);
    parts.method().set_input_type("." + package + ".GrowRequest");
    parts.method().set_output_type("." + package + ".GrowResponse");
    return parts.parse();
  };
  for (const std::string package : {"longshore.admin.v1", "longshore.host.v1", "grpc.health.v1"}) {
    CHECK(described(package).error().message() ==
          "cannot read the module's description: it names the service " + package +
              ".Array, which only the agent itself serves; use a package of your own");
  }
  CHECK(described("longshore.hosted.v1"));
  CHECK(described("grpcs.v1"));
}

TEST_CASE("A description without bytes names no service") {
  CHECK(parse_description({}).error().message() ==
        "cannot read the module's description: it names no service");
}

}  // namespace
}  // namespace longshore::loader
