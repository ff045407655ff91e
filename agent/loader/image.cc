#include "loader/image.h"

#include <boost/dll/shared_library.hpp>
#include <map>
#include <utility>

#include "loader/negotiate.h"

namespace longshore::loader {
namespace {

Error with_path(const Error& error, const std::string& path) {
  return Error::of_text(error.code(), path + ": " + error.message());
}

}  // namespace

Result<Inspection> inspect_module(const std::string& path, const InspectionOptions& options) {
  Result<ModuleFile> file = ModuleFile::open(path, options.owners);
  if (!file) return std::move(file).error();
  if (!options.required_sha256.empty() && options.required_sha256 != file->sha256()) {
    return Error(StatusCode::kFailedPrecondition, "load the module", path)
        .because("its SHA-256 is " + file->sha256() + " and the configuration pins " +
                 options.required_sha256)
        .advise("check where the file comes from before you change the pin");
  }
  Result<ImageFacts> image = read_image(file->bytes());
  if (!image) return with_path(image.error(), path);
  if (auto loadable = check_loadable(*image); !loadable) {
    return with_path(loadable.error(), path);
  }
  Result<ModuleDescription> description = parse_description(image->entry.description);
  if (!description) return with_path(description.error(), path);
  auto facts = std::make_shared<const ModuleFacts>(ModuleFacts{
      path, file->sha256(), std::move(image->entry.name), std::move(image->entry.version),
      std::move(image->entry.vendor), std::move(*description)});
  return Inspection{std::move(*file), std::move(facts)};
}

Image::Image(std::shared_ptr<const ModuleFacts> facts) : ModuleCode(std::move(facts)) {}

longshore_answer Image::create(const longshore_host* host, void** self,
                               const longshore_instance** functions) {
  return entry_->create(host, self, functions);
}

// The images of this process. What is mapped belongs to the process and not to an agent in it, so
// this is the one object here that is global; it is made at the first load and never destroyed.
class ImageRegistry {
 public:
  static ImageRegistry& of_process() {
    static auto* registry = new ImageRegistry;
    return *registry;
  }

  Result<std::shared_ptr<Image>> load(Inspection inspection, size_t max_images) {
    const std::lock_guard lock(mutex_);
    if (const auto known = images_.find(inspection.facts->sha256); known != images_.end()) {
      return known->second.image;
    }
    const std::string& path = inspection.facts->path;
    if (images_.size() >= max_images) {
      return Error(StatusCode::kResourceExhausted, "load the module", path)
          .because(std::to_string(images_.size()) +
                   " different images are loaded already, and images are never unloaded")
          .advise("restart the agent");
    }
    Loaded loaded{ModuleFile(std::move(inspection.file)), {}, nullptr};
    std::error_code error;
    namespace dll = boost::dll;
    loaded.library.load(loaded.file.loadable_path(),
                        dll::load_mode::rtld_now | dll::load_mode::rtld_local, error);
    if (error || !loaded.library.has(std::string(kEntrySymbol))) {
      return Error(StatusCode::kFailedPrecondition, "load the module", path)
          .because(error ? error.message() : "its entry symbol cannot be found");
    }
    loaded.file.forget_bytes();
    loaded.image.reset(new Image(std::move(inspection.facts)));
    loaded.image->entry_ =
        &loaded.library.get<const longshore_module_entry>(std::string(kEntrySymbol));
    std::string key = loaded.image->facts().sha256;
    return images_.emplace(std::move(key), std::move(loaded)).first->second.image;
  }

 private:
  struct Loaded {
    ModuleFile file;  // keeps the descriptor: a reused number would load the old image again
    boost::dll::shared_library library;
    std::shared_ptr<Image> image;
  };

  std::mutex mutex_;
  std::map<std::string, Loaded> images_;
};

Result<std::shared_ptr<Image>> load_module(Inspection inspection, size_t max_images) {
  return ImageRegistry::of_process().load(std::move(inspection), max_images);
}

}  // namespace longshore::loader
