#include <dlfcn.h>

#include <utility>

#include "loader/image_facts.h"
#include "supervise/child/loaded_image.h"
#include "supervise/linux/child_process.h"

namespace longshore::supervise {

Result<std::shared_ptr<LoadedImage>> LoadedImage::load(
    std::shared_ptr<const loader::ModuleFacts> facts) {
  const auto failed = [&] {
    const char* const why = dlerror();
    return Error(StatusCode::kFailedPrecondition, "load the module", facts->name)
        .because(why ? why : "its entry symbol cannot be found");
  };
  const std::string path = "/proc/self/fd/" + std::to_string(kImageDescriptor);
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return failed();
  const auto* entry = static_cast<const longshore_module_entry*>(
      dlsym(library, std::string(loader::kEntrySymbol).c_str()));
  if (!entry) return failed();
  return std::shared_ptr<LoadedImage>(new LoadedImage(std::move(facts), entry));
}

}  // namespace longshore::supervise
