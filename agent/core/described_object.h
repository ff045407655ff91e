// Asks a controller that offers longshore.module.v1.Objects what happened to one object.
//
// What it says is a stranger's: its lists are bounded, and its texts too, and made fit to be read.
//
// Threads: any, and it waits.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "core/module_entry.h"
#include "longshore/module/objects.pb.h"
#include "longshore/result.hpp"

namespace longshore::core {

inline constexpr size_t kMaxQueuesOfObject = 64;
inline constexpr size_t kMaxTriesOfObject = 8;       // of one queue's
inline constexpr size_t kMaxObjectTextBytes = 512;   // of each of its texts, before it is escaped
inline constexpr size_t kMaxObjectReference = 1024;  // bytes; a name has 253, and a namespace

// `reference` is "<kind>/<key>", "va/csi-0a1b"; the key may have more slashes. NOT_FOUND: nothing
// is known of it, or it is none of the controller's.
Result<module::v1::DescribeObjectResponse> described_object(
    const std::vector<ModuleEntry>& modules, const std::string& controller,
    const std::string& reference, std::chrono::nanoseconds patience = std::chrono::seconds(2));

}  // namespace longshore::core
