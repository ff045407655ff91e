// Configuration text. What loads must be shown as text that loads as the same configuration, and
// what does not must say so at a place in the file, a line for each finding.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "config/changes.h"
#include "config/show.h"
#include "tests/unit/config/fake_catalog.h"

namespace {

using namespace longshore::config;

void require(bool condition) {
  if (!condition) std::abort();
}

void check_refusal(std::string_view message) {
  require(!message.empty());
  while (!message.empty()) {
    const std::string_view line = message.substr(0, message.find('\n'));
    require(line.starts_with("fuzz.toml:"));
    message.remove_prefix(std::min(line.size() + 1, message.size()));
  }
}

void check_shown(const Loaded& loaded, ModuleCatalog& catalog) {
  const auto again = load_text_with_origins(show(loaded, true), "shown.toml", catalog);
  require(again.ok());
  Configuration shown = again.value().configuration;
  // Secrets are not shown, and settings of disabled modules not read.
  for (size_t i = 0; i < shown.modules.size(); ++i) {
    auto& settings = shown.modules[i].settings;
    const auto password = settings.find("password");
    if (password != settings.end()) {
      password->second = loaded.configuration.modules[i].settings.at("password");
    }
  }
  require(changes_between(loaded.configuration, shown).sentences.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  test::FakeCatalog catalog;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto loaded = load_text_with_origins(text, "fuzz.toml", catalog);
  if (loaded.ok()) {
    check_shown(loaded.value(), catalog);
  } else {
    check_refusal(loaded.error().message());
  }
  return 0;
}
