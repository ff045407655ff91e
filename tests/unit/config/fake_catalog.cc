#include "fake_catalog.h"

#include <utility>

namespace longshore::config::test {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

ModuleSchema schema_of(std::string summary, const std::string& service,
                       const std::vector<std::string>& methods) {
  ModuleSchema schema;
  schema.summary = std::move(summary);
  schema.services = {service};
  for (const std::string& method : methods) schema.methods.push_back(service + '/' + method);
  return schema;
}

OptionSchema option(std::string name, OptionType type, OptionValue value, std::string doc) {
  OptionSchema schema;
  schema.name = std::move(name);
  schema.type = type;
  schema.default_value = std::move(value);
  schema.doc = std::move(doc);
  return schema;
}

}  // namespace

FakeCatalog::FakeCatalog() {
  schemas["longshore-disk"] = schema_of("Disks.", "v1.Disk", {"ListDisks", "FormatDisk"});
  schemas["longshore-mirror"] = schema_of("Disks, twice.", "v1.Disk", {"ListDisks"});
  schemas["longshore-raid"] = schema_of("Disks of a vendor's.", "acme.Disk", {"ListDisks"});
  for (const char* library : {"longshore-disk", "longshore-mirror", "longshore-raid"}) {
    schemas[library].csi_proxy_sockets = {"disk-v1"};
  }

  ModuleSchema& volume = schemas["longshore-volume"] =
      schema_of("Volumes on disks.", "v1.Volume", {"FormatVolume", "MountVolume"});
  volume.options = {
      option("read_only", OptionType::kBool, false, "Refuse all changes."),
      option("retries", OptionType::kInt, int64_t{3}, "How often to try again."),
      option("ratio", OptionType::kFloat, 0.5, "Share of the disk."),
      option("filesystem", OptionType::kString, std::string("ext4"), "What volumes are made with."),
      option("hints", OptionType::kStrings, std::vector<std::string>(), "Free words."),
      option("delay", OptionType::kDuration, kSecond, "Pause\nbetween\ttries."),
      option("password", OptionType::kString, std::string(), "For the far side."),
  };
  volume.options[1].range = {{0, 10}};
  volume.options[3].one_of = {"ext4", "xfs"};
  volume.options[5].range = {{kSecond / 10, 60 * kSecond}};
  volume.options[6].secret = true;

  schemas["longshore-beat"].summary = "Listens.";
  schemas["longshore-beat"].is_controller = true;

  ModuleSchema& guarded = schemas["longshore-guarded"] =
      schema_of("Needs to be told its roots.", "v1.Guarded", {"Read"});
  guarded.options = {option("roots", OptionType::kStrings, false, "Folders that may be used.")};
  guarded.options[0].default_value.reset();
}

Result<ModuleSchema> FakeCatalog::describe(const ModuleSettings& module,
                                           const AgentSettings& agent) {
  asked.push_back(module);
  asked_with_dirs = agent.module_dirs;
  const auto schema = schemas.find(module.library);
  if (schema != schemas.end()) return schema->second;
  return Error(StatusCode::kNotFound, "find the module", module.library)
      .advise("install it, or set enabled = false");
}

}  // namespace longshore::config::test
