// A module's image in memory, and the registry of all of them.
//
// Images are never unmapped: a thread, a timer or a destructor of the module may still lie in
// wait, and nobody can know. They are registered by the hash of their bytes, so loading the same
// file again, or a copy of it, gives the same image, and `create` may be called on it any number of
// times. The number of different images is bounded; over it, a restart of the agent is due.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "config/user_id.h"
#include "loader/image_facts.h"
#include "loader/module_code.h"
#include "loader/module_file.h"
#include "loader/signature.h"
#include "longshore/abi.h"
#include "longshore/result.hpp"
#include "router/timers.h"

namespace longshore::loader {

struct InspectionOptions {
  // Ids of users who may own the file and its folders, besides root. Empty: nobody is asked.
  std::vector<config::UserId> owners;
  std::string required_sha256;  // empty: any
  SignatureRules signatures;
};

// A file that may be loaded, read and judged once: what was judged is what is loaded.
struct Inspection {
  ModuleFile file;
  std::shared_ptr<const ModuleFacts> facts;
  // When it was begun, and when it was done; see lifecycle.h.
  router::Clock::time_point found;
  router::Clock::time_point inspected;
};

// Reads, hashes and inspects a file; runs none of its code. Errors tell why it may not be loaded.
Result<Inspection> inspect_module(const std::string& path, const InspectionOptions& options);

// A module that is loaded into this process. Lives until the process ends.
class Image final : public ModuleCode {
 public:
  longshore_result create(const longshore_host* host, void** self,
                          const longshore_instance** functions) override;

 private:
  friend class ImageRegistry;
  explicit Image(std::shared_ptr<const ModuleFacts> facts);

  const longshore_module_entry* entry_ = nullptr;
};

// Loads what was inspected, or finds its image. [any thread]
// `max_images` bounds the number of different images in this process. DEADLINE_EXCEEDED: its
// initialisers have not come back within `time`; a thread is left in them for good.
Result<std::shared_ptr<Image>> load_module(
    Inspection inspection, size_t max_images,
    std::chrono::nanoseconds time = std::chrono::seconds(30));

// How many different images this process has loaded.
size_t loaded_images();

}  // namespace longshore::loader
