#include "loader/image.h"

#include <atomic>
#include <boost/dll/shared_library.hpp>
#include <future>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "loader/negotiate.h"
#include "router/blocked_signals.h"
#include "router/detached_thread.h"
#include "router/module_wait.h"
#include "text/file_path.h"

#if defined(_WIN32)
#include <windows.h>
#endif

namespace longshore::loader {
namespace {

#if defined(_WIN32)
// What it imports is the system's: nothing is looked for in the program's folder or in PATH. The
// library hands Windows' own flags on.
constexpr auto kLoadMode = static_cast<boost::dll::load_mode::type>(
    LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32);
#else
constexpr auto kLoadMode = boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local;
#endif

Error with_path(const Error& error, const std::string& path) {
  return Error::of_text(error.code(), path + ": " + error.message());
}

// The versions were agreed on by what the file says, before any code of it ran.
bool says_what_was_inspected(const longshore_module_entry& entry) {
  return entry.magic == LONGSHORE_MODULE_MAGIC && entry.abi_major == LONGSHORE_ABI_MAJOR &&
         entry.abi_minor_needed <= LONGSHORE_ABI_MINOR && entry.create != nullptr;
}

}  // namespace

Result<Inspection> inspect_module(const std::string& path, const InspectionOptions& options) {
  const auto found = router::Clock::now();
  Result<ModuleFile> file = ModuleFile::open(path, options.owners);
  if (!file) return std::move(file).error();
  if (!options.required_sha256.empty() && options.required_sha256 != file->sha256()) {
    return Error(StatusCode::kFailedPrecondition, "load the module", path)
        .because("its SHA-256 is " + file->sha256() + " and the configuration pins " +
                 options.required_sha256)
        .advise("check where the file comes from before you change the pin");
  }
  Result<std::string> signer = signer_of(*file, options.signatures, options.owners);
  if (!signer) return std::move(signer).error();
  Result<ImageFacts> image = read_image(file->bytes());
  if (!image) return with_path(image.error(), path);
  if (auto loadable = check_loadable(*image); !loadable) {
    return with_path(loadable.error(), path);
  }
  Result<ModuleDescription> description = parse_description(image->entry.description);
  if (!description) return with_path(description.error(), path);
  auto facts = std::make_shared<const ModuleFacts>(ModuleFacts{
      path, file->sha256(), std::move(image->entry.name), std::move(image->entry.version),
      std::move(image->entry.vendor), std::move(*description), std::move(*signer)});
  return Inspection{std::move(*file), std::move(facts), found, router::Clock::now()};
}

Image::Image(std::shared_ptr<const ModuleFacts> facts) : ModuleCode(std::move(facts)) {}

longshore_result Image::create(const longshore_host* host, void** self,
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
    const std::lock_guard lock(mutex_);  // as the system's loader has one
    if (const auto known = images_.find(inspection.facts->sha256); known != images_.end()) {
      return known->second.image;
    }
    const std::string path = inspection.facts->path;
    if (images_.size() >= max_images) {
      return Error(StatusCode::kResourceExhausted, "load the module", path)
          .because(std::to_string(images_.size()) +
                   " different images are loaded already, and images are never unloaded")
          .advise("restart the agent");
    }
    Loaded loaded{ModuleFile(std::move(inspection.file)), {}, nullptr};
    std::error_code error;
    loaded.library.load(text::file_path(loaded.file.loadable_path()), kLoadMode, error);
    const auto refused = [&](std::string why) {
      return Error(StatusCode::kFailedPrecondition, "load the module", path)
          .because(std::move(why));
    };
    if (error) return refused(error.message());
    // Its initialisers have run, so that it stays, and so does its descriptor.
    const auto refused_for_good = [&](std::string why) {
      loaded.file.forget_bytes();
      refused_.push_back(std::move(loaded));
      return refused(std::move(why));
    };
    if (!loaded.library.has(std::string(kEntrySymbol))) {
      return refused_for_good("its entry symbol cannot be found");
    }
    loaded.file.forget_bytes();
    loaded.image.reset(new Image(std::move(inspection.facts)));
    loaded.image->entry_ =
        &loaded.library.get<const longshore_module_entry>(std::string(kEntrySymbol));
    if (!says_what_was_inspected(*loaded.image->entry_)) {
      return refused_for_good("its initialisers have changed its entry");
    }
    std::string key = loaded.image->facts().sha256;
    size_ = images_.size() + 1;
    return images_.emplace(std::move(key), std::move(loaded)).first->second.image;
  }

  size_t size() const { return size_; }

 private:
  struct Loaded {
    ModuleFile file;  // keeps the descriptor: a reused number would load the old image again
    boost::dll::shared_library library;
    std::shared_ptr<Image> image;
  };

  std::mutex mutex_;
  std::map<std::string, Loaded> images_;
  std::vector<Loaded> refused_;  // after their initialisers had run
  std::atomic<size_t> size_{0};  // for those who must not wait for a load that hangs
};

Result<std::shared_ptr<Image>> load_module(Inspection inspection, size_t max_images,
                                           std::chrono::nanoseconds time) {
  const std::string path = inspection.facts->path;
  const auto shared = std::make_shared<Inspection>(std::move(inspection));
  std::packaged_task<Result<std::shared_ptr<Image>>()> load([shared, max_images] {
    return ImageRegistry::of_process().load(std::move(*shared), max_images);
  });
  auto loaded = load.get_future();
  try {
    const router::BlockedSignals blocked;
    router::start_detached_thread(std::move(load));
  } catch (const std::system_error& error) {
    return Error(StatusCode::kUnavailable, "load the module", path).because(error.code());
  }
  const router::ModuleWait waits;
  if (loaded.wait_for(time) == std::future_status::ready) return loaded.get();
  return Error(StatusCode::kDeadlineExceeded, "load the module", path)
      .because("its initialisers, or those of a module before it, do not return");
}

size_t loaded_images() { return ImageRegistry::of_process().size(); }

}  // namespace longshore::loader
