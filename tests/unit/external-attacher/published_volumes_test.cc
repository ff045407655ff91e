// What a driver says of its volumes' nodes, and which attachments name a volume.
#include "plugins/external-attacher/published_volumes.h"

#include <catch2/catch.hpp>
#include <string>

#include "plugins/external-attacher/attachment_index.h"
#include "tests/support/wire_writer.h"

namespace longshore::external_attacher {
namespace {

using test::WireWriter;

csi::v1::ListVolumesResponse page(const std::string& bytes) {
  csi::v1::ListVolumesResponse response;
  REQUIRE(response.ParseFromString(bytes));
  return response;
}

TEST_CASE("The nodes of a volume are those of all pages") {
  const std::string volume = WireWriter().text(2, "v");
  const std::string first = WireWriter().text(1, "n1").text(1, "n2");
  const std::string second = WireWriter().text(1, "n3");
  PublishedVolumes published;
  for (const std::string& status : {first, second}) {
    const std::string entry = WireWriter().text(1, volume).text(2, status);
    published.add(page(WireWriter().text(1, entry)));
  }
  for (const std::string node : {"n1", "n2", "n3"}) CHECK(published.has("v", node));
  CHECK_FALSE(published.has("v", "n4"));
  CHECK_FALSE(published.has("w", "n1"));
}

TEST_CASE("An entry without a volume or a status says nothing") {
  const std::string volume = WireWriter().text(2, "v");
  const std::string status = WireWriter().text(1, "n");
  const std::string without_status = WireWriter().text(1, volume);
  const std::string without_volume = WireWriter().text(2, status);
  PublishedVolumes published;
  for (const std::string& entry : {std::string(), without_status, without_volume}) {
    published.add(page(WireWriter().text(1, entry)));
  }
  CHECK_FALSE(published.has("v", "n"));
  CHECK_FALSE(published.has("", "n"));
}

TEST_CASE("A volume is named as long as one attachment names it") {
  AttachmentIndex index;
  index.put("a", "pv-1");
  index.put("b", "pv-1");
  index.put("c", "");
  CHECK(index.has_volume("pv-1"));
  CHECK(index.remove("a") == "pv-1");
  CHECK(index.has_volume("pv-1"));
  CHECK(index.remove("b") == "pv-1");
  CHECK_FALSE(index.has_volume("pv-1"));
  CHECK(index.remove("b").empty());
  CHECK(index.remove("c").empty());
  CHECK_FALSE(index.has_volume(""));
}

TEST_CASE("An attachment is of the volume that it named last") {
  AttachmentIndex index;
  index.put("a", "pv-1");
  index.put("a", "pv-2");
  CHECK_FALSE(index.has_volume("pv-1"));
  CHECK(index.has_volume("pv-2"));
  index.put("a", "");
  CHECK_FALSE(index.has_volume("pv-2"));
}

}  // namespace
}  // namespace longshore::external_attacher
