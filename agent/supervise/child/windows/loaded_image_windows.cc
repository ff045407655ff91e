#include <string>
#include <utility>

#include "loader/image_facts.h"
#include "longshore/windows/handle.hpp"
#include "supervise/child/loaded_image.h"
#include "supervise/child/windows/own_command_line.h"

namespace longshore::supervise {

Result<std::shared_ptr<LoadedImage>> LoadedImage::load(
    std::shared_ptr<const loader::ModuleFacts> facts) {
  const Error refused(StatusCode::kFailedPrecondition, "load the module", facts->name);
  const auto failed = [&](const std::error_code& error) { return Error(refused).because(error); };
  const auto own = OwnCommandLine::read();
  if (!own) return Error(refused).because("no agent has started this process");
  // What it imports is the system's: nothing is looked for in the agent's folder or in PATH.
  const HMODULE library = LoadLibraryExW(
      own->image.c_str(), nullptr, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32);
  if (const std::error_code error = error_unless(library != nullptr)) return failed(error);
  const std::string name(loader::kEntrySymbol);
  const auto symbol = GetProcAddress(library, name.c_str());
  if (const std::error_code error = error_unless(symbol != nullptr)) return failed(error);
  const auto* entry =
      reinterpret_cast<const longshore_module_entry*>(reinterpret_cast<const void*>(symbol));
  return std::shared_ptr<LoadedImage>(new LoadedImage(std::move(facts), entry));
}

}  // namespace longshore::supervise
