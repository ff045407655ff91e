#include "loader/description.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>
#include <utility>

#include "config/settings.h"
#include "loader/message_schemas.h"
#include "longshore/module/descriptors.pb.h"

namespace longshore::loader {
namespace {

namespace descriptors = module::descriptors;

constexpr int kMaxItems = 4096;
constexpr size_t kMaxRoleFileBytes = 256;
constexpr int kMaxFieldNumber = (1 << 29) - 1;

Error bad(std::string why) {
  return Error(StatusCode::kInvalidArgument, "read the module's description")
      .because(std::move(why));
}

// Words of letters, digits and '_' that begin with no digit, '.' between them if it may: what
// protobuf allows. Keeps logs and paths clean.
bool is_name(const std::string& name, bool with_dots) {
  if (name.empty() || name.size() > 512) return false;
  bool begins_word = true;
  for (const char each : name) {
    const auto c = static_cast<unsigned char>(each);
    const bool is_dot = with_dots && c == '.';
    if (begins_word ? !std::isalpha(c) && c != '_' : !std::isalnum(c) && c != '_' && !is_dot) {
      return false;
    }
    begins_word = is_dot;
  }
  return !begins_word;
}

// Reflection and health among them, which each endpoint answers itself.
bool is_agents_own(const std::string& service) {
  return service.starts_with("longshore.admin.") || service.starts_with("longshore.host.") ||
         service.starts_with("grpc.");
}

bool is_integer_type(int type) {
  return type == router::kInt64 || type == router::kUint64 || type == router::kInt32 ||
         type == router::kUint32 || type == router::kEnum;
}

enum class Describes { kModule, kAgent };

class DescriptionReader {
 public:
  explicit DescriptionReader(Describes describes) : describes_(describes) {}

  Result<ModuleDescription> read(const std::string& bytes) {
    if (!message_.ParseFromString(bytes)) return bad("it is not a valid message");
    if (!files_.ParseFromString(message_.file_descriptor_set())) {
      return bad("its descriptors are not a valid FileDescriptorSet");
    }
    if (message_.services_size() > kMaxItems || files_.file_size() > kMaxItems ||
        message_.options_size() > kMaxItems || message_.calls_size() > kMaxItems ||
        message_.kube_grants_size() > kMaxItems) {
      return bad("it lists more than " + std::to_string(kMaxItems) + " things of a kind");
    }
    result_.summary = message_.summary();
    result_.is_controller = message_.kind() == module::v1::KIND_CONTROLLER;
    result_.may_overlap = message_.overlap() == module::v1::OVERLAP_ALLOWED;
    if (result_.is_controller && result_.may_overlap) {
      return bad("it is a controller, of which two cannot be alive at once, and allows overlap");
    }
    schemas_ = message_schemas_of(files_);
    for (const auto& file : files_.file()) {
      result_.files.push_back(std::make_shared<const DescribedFile>(file));
    }
    if (auto read = read_services(); !read) return std::move(read).error();
    if (auto read = read_calls(); !read) return std::move(read).error();
    if (auto read = read_endpoints(); !read) return std::move(read).error();
    if (auto read = read_options(); !read) return std::move(read).error();
    if (auto read = read_kube_grants(); !read) return std::move(read).error();
    if (auto read = read_wait_for_driver(); !read) return std::move(read).error();
    if (auto read = read_lease(); !read) return std::move(read).error();
    if (auto read = read_role_file(); !read) return std::move(read).error();
    return std::move(result_);
  }

 private:
  Result<void> read_services() {
    for (const std::string& name : message_.services()) {
      if (!is_name(name, true)) return bad("a service has the impossible name \"" + name + "\"");
      if (describes_ == Describes::kModule && is_agents_own(name)) {
        return bad("it names the service " + name +
                   ", which only the agent itself serves; use a package of your own");
      }
      if (std::count(result_.services.begin(), result_.services.end(), name) != 0) {
        return bad("it names the service " + name + " twice");
      }
      const descriptors::Service* service = find_service(name);
      if (!service) return bad("there is no descriptor of the service " + name);
      for (const auto& method : service->method()) {
        if (auto read = read_method(name, method); !read) return read;
      }
      result_.services.push_back(name);
    }
    set_apart("longshore.module.v1.Health", "Check", result_.health_check);
    set_apart("longshore.module.v1.Metrics", "Collect", result_.metrics);
    set_apart("longshore.module.v1.Objects", "Describe", result_.describe_object);
    if (result_.services.empty() && !result_.is_controller) return bad("it names no service");
    return {};
  }

  // A service that is for the agent alone.
  void set_apart(const std::string& service, const std::string& name,
                 std::optional<router::Method>& place) {
    for (const router::Method& method : result_.methods) {
      if (method.full_name == service + '/' + name) place = method;
    }
    std::erase(result_.services, service);
    std::erase_if(result_.methods, [&](const auto& method) { return method.service == service; });
  }

  Result<void> read_method(const std::string& service, const descriptors::Method& method) {
    router::Method entry;
    entry.service = service;
    entry.name = method.name();
    entry.full_name = service + "/" + method.name();
    if (!is_name(entry.name, false)) return bad("a method of " + service + " has no proper name");
    if (!method_names_.insert(entry.full_name).second) {
      return bad("it has " + entry.full_name + " twice");
    }
    if (method.client_streaming()) {
      return bad(entry.full_name +
                 " takes a stream of requests, which this version of the ABI "
                 "does not have");
    }
    const auto& annotations = method.options().method();
    entry.request_schema = schema_of(method.input_type());
    entry.request_has_secrets = router::has_secrets(*entry.request_schema);
    entry.reads_only = annotations.reads_only();
    entry.idempotent = annotations.idempotent();
    entry.non_blocking = annotations.non_blocking();
    entry.server_streaming = method.server_streaming();
    entry.long_running = annotations.long_running();
    if (entry.long_running && !entry.server_streaming) {
      return bad(entry.full_name + " is long_running, which only a server stream can be");
    }
    if (!annotations.object_field().empty()) {
      const descriptors::Field* field = find_field(method.input_type(), annotations.object_field());
      if (!field || field->number() < 1 || field->number() > kMaxFieldNumber ||
          field->label() == router::kRepeated || field->options().secret() ||
          (field->type() != router::kString && !is_integer_type(field->type()))) {
        return bad("the object_field of " + entry.full_name +
                   " is not a plain string or integer field of its request");
      }
      entry.object_field = static_cast<uint32_t>(field->number());
      entry.object_type = field->type();
    }
    result_.methods.push_back(std::move(entry));
    return {};
  }

  Result<void> read_calls() {
    for (const std::string& method : message_.calls()) {
      const size_t slash = method.find('/');
      if (slash == std::string::npos || !is_name(method.substr(0, slash), true) ||
          !is_name(method.substr(slash + 1), false)) {
        return bad("it calls the impossible method \"" + method + "\"");
      }
      result_.calls.push_back(method);
    }
    return {};
  }

  Result<void> read_endpoints() {
    for (const auto& endpoint : message_.csi_proxy_endpoints()) {
      if (!is_name(endpoint.group(), false) || !is_name(endpoint.version(), false)) {
        return bad("a csi-proxy endpoint has no proper group or version");
      }
      if (std::count(result_.services.begin(), result_.services.end(), endpoint.service()) == 0) {
        return bad("the csi-proxy endpoint " + endpoint.group() + "-" + endpoint.version() +
                   " is for a service that the module does not serve");
      }
      result_.csi_proxy_endpoints.push_back(
          {endpoint.group(), endpoint.version(), endpoint.service()});
    }
    return {};
  }

  Result<void> read_options() {
    std::set<std::string> names;
    for (const auto& option : message_.options()) {
      if (!is_name(option.name(), false) || !names.insert(option.name()).second) {
        return bad("an option has no proper name, or one that another has");
      }
      if (option.type() == module::v1::OPTION_TYPE_UNSPECIFIED) {
        return bad("the option " + option.name() + " has no type");
      }
      result_.options.push_back(option);
    }
    return {};
  }

  // What they name the configuration checks, which they become a part of.
  Result<void> read_kube_grants() {
    std::set<std::string> names;
    for (const auto& grant : message_.kube_grants()) {
      if (!is_name(grant.name(), false) || !names.insert(grant.name()).second) {
        return bad("a kube_grant has no proper name, or one that another has");
      }
      result_.kube_grants.push_back(grant);
    }
    return {};
  }

  Result<void> read_wait_for_driver() {
    const std::string& name = message_.wait_for_driver_option();
    const auto is_it = [&](const module::v1::Option& option) {
      return option.name() == name && option.type() == module::v1::OPTION_TYPE_STRING;
    };
    if (!name.empty() && std::ranges::none_of(result_.options, is_it)) {
      return bad("its wait_for_driver_option is no option that is a string");
    }
    result_.wait_for_driver_option = name;
    return {};
  }

  Result<void> read_lease() {
    const std::string& lease = message_.lease();
    if (lease.find(config::kDriverInLease) != lease.npos &&
        result_.wait_for_driver_option.empty()) {
      return bad("its lease is named after a driver, and it has no wait_for_driver_option");
    }
    result_.lease = lease;
    return {};
  }

  Result<void> read_role_file() {
    const std::string& file = message_.role_file();
    const auto is_visible = [](char c) { return c > ' ' && c < 0x7f; };
    if (file.size() > kMaxRoleFileBytes || !std::ranges::all_of(file, is_visible)) {
      return bad("its role_file is longer than " + std::to_string(kMaxRoleFileBytes) +
                 " characters, or has some that are not visible ASCII");
    }
    result_.role_file = file;
    return {};
  }

  const descriptors::Service* find_service(const std::string& name) const {
    for (const auto& file : files_.file()) {
      for (const auto& service : file.service()) {
        if (qualified(file.package(), service.name()) == name) return &service;
      }
    }
    return nullptr;
  }

  // One without fields where the descriptors lack the type.
  std::shared_ptr<const router::MessageSchema> schema_of(const std::string& type) const {
    const auto found = schemas_->find(type);
    if (found == schemas_->end()) return std::make_shared<const router::MessageSchema>();
    return {schemas_, &found->second};
  }

  // Top-level messages only: a request is never nested.
  const descriptors::Field* find_field(const std::string& type, const std::string& name) const {
    for (const auto& file : files_.file()) {
      for (const auto& message : file.message_type()) {
        if (type != '.' + qualified(file.package(), message.name())) continue;
        for (const auto& field : message.field()) {
          if (field.name() == name) return &field;
        }
      }
    }
    return nullptr;
  }

  const Describes describes_;
  module::v1::Description message_;
  descriptors::FileSet files_;
  std::shared_ptr<const router::MessageSchemas> schemas_;
  std::set<std::string> method_names_;
  ModuleDescription result_;
};

}  // namespace

Result<ModuleDescription> parse_description(const std::string& bytes) {
  return DescriptionReader(Describes::kModule).read(bytes);
}

Result<ModuleDescription> parse_host_service_description(std::span<const unsigned char> bytes) {
  return DescriptionReader(Describes::kAgent).read(std::string(bytes.begin(), bytes.end()));
}

}  // namespace longshore::loader
