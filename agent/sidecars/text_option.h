// An option of a controller's that is a text.
//
// Threads: any; a plain function.
#pragma once

#include <string>
#include <variant>

#include "config/settings.h"

namespace longshore::sidecars {

// Empty, too, where the controller has no such option.
inline std::string text_option(const config::ModuleSettings& controller, const std::string& name) {
  const auto found = controller.settings.find(name);
  const auto* const text =
      found == controller.settings.end() ? nullptr : std::get_if<std::string>(&found->second);
  return text == nullptr ? std::string() : *text;
}

}  // namespace longshore::sidecars
