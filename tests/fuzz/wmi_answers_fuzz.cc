// Any answers of WMI's: rows and output parameters that lack what they should have, or have it of
// another type. What is done by them is called done only where WMI said so, and is done to the
// object that was asked for.
//
// Each answer is read from the input: how many rows, and of each the properties that are looked
// for, whatever their type. Past its end there are no rows, and no properties.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include "smb/windows/wmi_global_mappings.h"
#include "support/windows/guid_text.h"
#include "support/windows/wmi.h"
#include "tests/fuzz/script.h"
#include "volume/windows/volume_formatter.h"

namespace longshore::fuzz {
namespace {

using support::WmiObject;
using support::WmiValue;

constexpr const char* kVolume = "\\\\?\\Volume{01234567-89ab-cdef-0123-456789abcdef}\\";
constexpr const char* kRoot = "\\\\files\\share";
constexpr const char* kProperties[] = {"UniqueId", "RemotePath", "Status", "__PATH", "ReturnValue"};

void require(bool condition) {
  if (!condition) std::abort();
}

class ScriptedWmi final : public support::Wmi {
 public:
  explicit ScriptedWmi(std::string_view input) : script_(input) {}

  Result<std::vector<WmiObject>> query(const std::string&, const std::string& query,
                                       const Deadline&) override {
    // Fixed texts: nothing of what a caller sent is in them.
    require(query.find('\'') == std::string::npos && query.find('"') == std::string::npos);
    if (script_.number() % 8 == 7) return error();
    rows_.clear();
    for (size_t count = script_.number() % 4; count > 0; --count) rows_.push_back(object());
    return rows_;
  }

  Result<WmiObject> call(const std::string&, const std::string& object, const std::string& method,
                         const WmiObject&, const Deadline&) override {
    require(!object.empty());
    called_ = method;
    is_known_ = std::ranges::any_of(
        rows_, [&](const WmiObject& row) { return support::text_of(row, "__PATH") == object; });
    if (script_.number() % 8 == 7) return error();
    WmiObject answer = this->object();
    const auto code = answer.find("ReturnValue");
    succeeded_ = code != answer.end() && code->second == WmiValue(int64_t{0});
    return answer;
  }

  // Of the last call.
  const std::string& called() const { return called_; }
  bool is_known() const { return is_known_; }
  bool succeeded() const { return succeeded_; }

 private:
  Error error() {
    succeeded_ = false;
    return Error(StatusCode::kInternal, "ask WMI", "class");
  }

  WmiValue value() {
    switch (script_.number() % 8) {
      case 0:
        return {};
      case 1:
        return script_.number() % 2 == 0;
      case 2:
        return static_cast<int64_t>(script_.number() % 4);
      case 3:  // 32 bits, as COM has them
        return static_cast<int64_t>(uint32_t{0xffffffff} - script_.number());
      case 4:
        return std::string(kVolume);
      case 5:
        return std::string(kRoot);
      case 6:
        return std::vector<std::string>(script_.number() % 3, kRoot);
      default:
        return std::string(script_.text(script_.number() % 64));
    }
  }

  WmiObject object() {
    WmiObject object;
    const size_t has = script_.number();
    for (size_t i = 0; i < std::size(kProperties); ++i) {
      if ((has >> i & 1) != 0) object[kProperties[i]] = value();
    }
    return object;
  }

  Script script_;
  std::vector<WmiObject> rows_;
  std::string called_;
  bool is_known_ = false;
  bool succeeded_ = false;
};

void format(std::string_view input) {
  ScriptedWmi wmi(input);
  volume::VolumeFormatter formatter(wmi, "NTFS");
  const auto done = formatter.format(kVolume, {});
  require(done || !done.error().message().empty());
  if (wmi.called() == "Format") require(wmi.is_known());
  require(done.ok() == (wmi.called() == "Format" && wmi.succeeded()));
}

void map(std::string_view input) {
  const auto wmi = std::make_shared<ScriptedWmi>(input);
  smb::WmiGlobalMappings mappings(wmi);
  const auto status = mappings.status(kRoot, {});
  require(status || !status.error().message().empty());
  const auto created = mappings.create(kRoot, {}, true, {});
  require((created && *created == 0) == wmi->succeeded());
  const auto removed = mappings.remove(kRoot, {});
  if (wmi->called() == "Remove") require(wmi->is_known());
  require((removed && *removed == 0) == (wmi->called() == "Remove" && wmi->succeeded()));
}

}  // namespace
}  // namespace longshore::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  data[0] % 2 == 0 ? longshore::fuzz::format(rest) : longshore::fuzz::map(rest);
  return 0;
}
