// Access modes of Kubernetes as those of CSI, and what of drivers' errors and names controllers
// share.
#include "plugins/support/access_mode.h"

#include <catch2/catch.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "plugins/support/driver_error.h"
#include "plugins/support/sanitized_name.h"

namespace longshore::plugins {
namespace {

using AccessMode = csi::v1::VolumeCapability::AccessMode;
using Modes = std::vector<std::string>;

TEST_CASE("Access modes become the one of CSI that says most") {
  const std::vector<std::tuple<Modes, AccessMode::Mode, AccessMode::Mode>> table = {
      {{"ReadWriteMany"}, AccessMode::MULTI_NODE_MULTI_WRITER, AccessMode::MULTI_NODE_MULTI_WRITER},
      {{"ReadOnlyMany"}, AccessMode::MULTI_NODE_READER_ONLY, AccessMode::MULTI_NODE_READER_ONLY},
      {{"ReadWriteOnce"}, AccessMode::SINGLE_NODE_WRITER, AccessMode::SINGLE_NODE_MULTI_WRITER},
      {{"ReadWriteOncePod"}, AccessMode::SINGLE_NODE_WRITER, AccessMode::SINGLE_NODE_SINGLE_WRITER},
      {{"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"},
       AccessMode::MULTI_NODE_MULTI_WRITER,
       AccessMode::MULTI_NODE_MULTI_WRITER},
      {{"Unheard", "ReadOnlyMany"},
       AccessMode::MULTI_NODE_READER_ONLY,
       AccessMode::MULTI_NODE_READER_ONLY}};
  for (const auto& [modes, plain, with_single_node_multi_writer] : table) {
    INFO(modes.front());
    CHECK(csi_access_mode(modes, false).value() == plain);
    CHECK(csi_access_mode(modes, true).value() == with_single_node_multi_writer);
  }
}

TEST_CASE("Access modes that CSI has nothing for are refused with a sentence") {
  const std::vector<std::tuple<Modes, std::string>> table = {
      {Modes{}, "there are none"},
      {{"Unheard"}, "none of them is known"},
      {{"ReadOnlyMany", "ReadWriteOnce"},
       "\"ReadOnlyMany, ReadWriteOnce\": CSI has no mode for ReadOnlyMany and ReadWriteOnce "
       "together"},
      {{"ReadWriteOncePod", "ReadWriteMany"}, "ReadWriteOncePod stands alone"}};
  for (const auto& [modes, sentence] : table) {
    const auto mode = csi_access_mode(modes, true);
    REQUIRE_FALSE(mode);
    CHECK(mode.error().code() == StatusCode::kInvalidArgument);
    CHECK_THAT(mode.error().message(), Catch::EndsWith(sentence));
  }
}

TEST_CASE("A driver's error is final but for the codes of a call that may still run") {
  for (int number = 1; number <= 17; ++number) {
    INFO(number);
    const bool is_running =
        number == 1 || number == 4 || number == 8 || number == 10 || number == 14;
    CHECK(may_still_run(static_cast<StatusCode>(number)) == is_running);
  }
}

TEST_CASE("A driver's name is made one for finalizers") {
  CHECK(sanitized_name("disk.csi.example.com") == "disk-csi-example-com");
  CHECK(sanitized_name("A_9/ä") == "A-9---X");
  CHECK(sanitized_name("ends-") == "ends-X");
}

}  // namespace
}  // namespace longshore::plugins
