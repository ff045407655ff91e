// What drivers answer, true and not: bytes as Windows documents them.
#include "support/windows/disk_answers.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "tests/support/windows/fake_descriptors.h"

namespace longshore::disk {
namespace {

using support::disk_extents;
using support::DiskExtent;
using support::page83_identifier;
using support::serial_number;
using test::FakeIdentifier;
using test::id_descriptor;

constexpr uint32_t kBinary = 1, kAscii = 2, kUtf8 = 3;
constexpr uint32_t kPort = 1, kTarget = 2;

std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values) text += static_cast<char>(value);
  return text;
}

TEST_CASE("of a disk's identifiers the first counts that is its own and binary or ASCII") {
  const std::string naa = bytes({0x60, 0x01, 0x40, 0x5f, 0x00, 0xAB});
  CHECK(page83_identifier(id_descriptor({{.bytes = naa}})) == "6001405f00ab");
  // As GCP's disks have it: blanks stay.
  CHECK(page83_identifier(id_descriptor(
            {{.code_set = kAscii, .type = 1, .bytes = "Google  persistent-disk-0"}})) ==
        "Google  persistent-disk-0");
  // As VHDs have it: T10's vendor identifier in binary comes first, NAA does not.
  CHECK(page83_identifier(
            id_descriptor({{.code_set = kBinary, .type = 1, .bytes = "MSFT    " + bytes({1, 2})},
                           {.type = 3, .bytes = naa}})) == "4d534654202020200102");
  CHECK(page83_identifier(
            id_descriptor({{.association = kPort, .bytes = "p"},
                           {.association = kTarget, .bytes = "t"},
                           {.code_set = kUtf8, .bytes = "u"},
                           {.code_set = 0, .bytes = "r"},
                           {.code_set = kAscii, .type = 8, .bytes = "iqn.2026-01.example:d"},
                           {.bytes = naa}})) == "iqn.2026-01.example:d");
  CHECK(page83_identifier(id_descriptor({{.code_set = kAscii, .bytes = ""}})).empty());
}

TEST_CASE("bytes that are no ASCII are told in digits, as no text on the wire may hold them") {
  CHECK(page83_identifier(id_descriptor({{.code_set = kAscii, .bytes = bytes({'a', 0xff})}})) ==
        "61ff");
}

TEST_CASE("a disk without an identifier of its own has none") {
  CHECK(page83_identifier(id_descriptor({})).empty());
  CHECK(page83_identifier(id_descriptor({{.association = kPort, .bytes = "p"}})).empty());
}

TEST_CASE("identifiers that lie are not followed") {
  const FakeIdentifier port{.association = kPort, .bytes = "port"};
  const FakeIdentifier own{.code_set = kAscii, .bytes = "own"};
  // More than there are.
  CHECK(page83_identifier(id_descriptor({port}, 1000)).empty());
  CHECK(page83_identifier(id_descriptor({port, own}, 0xffffffff)) == "own");
  // Fewer: the second does not count.
  CHECK(page83_identifier(id_descriptor({port, own}, 1)).empty());
  // A size beyond the end.
  CHECK(page83_identifier(id_descriptor({{.bytes = "own", .size = 4000}})).empty());
  CHECK(page83_identifier(id_descriptor({{.bytes = "own", .size = 0xffff}})).empty());
  // The next one in this one, nowhere, and beyond the end. csi-proxy reads the same again.
  for (const uint16_t offset : std::initializer_list<uint16_t>{0, 1, 15, 4000, 0xffff}) {
    CAPTURE(offset);
    FakeIdentifier liar = port;
    liar.next_offset = offset;
    CHECK(page83_identifier(id_descriptor({liar, own}, 2)).empty());
  }
}

TEST_CASE("a descriptor that is cut short at any byte is read as far as it goes") {
  const std::string whole = id_descriptor(
      {{.association = kPort, .bytes = "port"}, {.code_set = kAscii, .bytes = "own"}});
  for (size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    const std::string found = page83_identifier(whole.substr(0, size));
    // What is left out at the end is the byte that fills it up.
    CHECK(found == (size >= whole.size() - 1 ? "own" : ""));
  }
}

TEST_CASE("a serial number is told as it is") {
  CHECK(serial_number(test::device_descriptor("vol02190fee5da4d75e3_00000001.")) ==
        "vol02190fee5da4d75e3_00000001.");
  CHECK(serial_number(test::device_descriptor("  blanks ")) == "  blanks ");
  CHECK(serial_number(test::device_descriptor(bytes({'a', 0xe9}))) == "a?");
  CHECK(serial_number(test::device_descriptor("")).empty());
}

TEST_CASE("a serial number that does not lie within the answer is none") {
  const std::string whole = test::device_descriptor("serial");
  for (size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK(serial_number(whole.substr(0, size)).empty());
  }
  for (const uint32_t offset : {1U, 24U, 35U, 4000U, 0xffffffffU}) {
    CAPTURE(offset);
    std::string liar = whole;
    std::memcpy(liar.data() + 24, &offset, sizeof(offset));
    CHECK(serial_number(liar).empty());
  }
}

std::string extents_answer(uint32_t count, const std::vector<DiskExtent>& extents) {
  std::string answer(8 + extents.size() * 24, '\0');
  std::memcpy(answer.data(), &count, sizeof(count));
  for (size_t i = 0; i < extents.size(); ++i) {
    char* const place = answer.data() + 8 + i * 24;
    std::memcpy(place, &extents[i].disk, 4);
    std::memcpy(place + 8, &extents[i].offset, 8);
    std::memcpy(place + 16, &extents[i].length, 8);
  }
  return answer;
}

TEST_CASE("a volume lies where its extents say, and nowhere if they lie") {
  const std::vector<DiskExtent> two{{3, 1 << 20, 5 << 20}, {4, 0, uint64_t{1} << 40}};
  CHECK(disk_extents(extents_answer(2, two)) == two);
  CHECK(disk_extents(extents_answer(1, two))->size() == 1);
  CHECK(disk_extents(extents_answer(0, {}))->empty());
  for (const uint32_t count : {3U, 1000U, 0xffffffffU}) {
    CHECK_FALSE(disk_extents(extents_answer(count, two)));
  }
  const std::string whole = extents_answer(2, two);
  for (size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(disk_extents(whole.substr(0, size)));
  }
  CHECK_FALSE(disk_extents(extents_answer(1, {{3, ~uint64_t{0}, 1}})));
  CHECK_FALSE(disk_extents(extents_answer(1, {{3, 1, ~uint64_t{0}}})));
}

TEST_CASE("numbers, sizes and attributes are taken from whole answers only") {
  const std::string number = bytes({7, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0});
  CHECK(support::disk_number(number) == 5);
  CHECK_FALSE(support::disk_number(number.substr(0, 11)));
  CHECK_FALSE(support::disk_number(bytes({2, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0})));  // a CD drive
  CHECK_FALSE(support::disk_number(bytes({7, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0})));

  const std::string length = bytes({0, 0, 0, 4, 0, 0, 0, 0});
  CHECK(support::length_in(length) == uint64_t{64} << 20);
  CHECK_FALSE(support::length_in(length.substr(0, 7)));
  CHECK_FALSE(support::length_in(bytes({0, 0, 0, 0, 0, 0, 0, 0x80})));
  CHECK(support::size_of_geometry(std::string(24, '\0') + length) == uint64_t{64} << 20);
  CHECK_FALSE(support::size_of_geometry(length));

  const std::string both = bytes({16, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0});
  CHECK(support::disk_attributes(both) == support::DiskAttributes{true, true});
  CHECK_FALSE(support::disk_attributes(both.substr(0, 15)));

  // An upgrade is scheduled, and a session open: no damage.
  CHECK_FALSE(support::is_dirty(bytes({6, 0, 0, 0})));
  CHECK(support::is_dirty(bytes({7, 0, 0, 0})));
  CHECK_FALSE(support::is_dirty(bytes({1, 0, 0})));
}

TEST_CASE("an attribute is set for good, and no other is touched") {
  std::string expected(40, '\0');
  expected[0] = 40;
  expected[4] = 1;  // persistent
  expected[8] = 1;
  expected[16] = 1;
  CHECK(support::set_disk_attribute(support::DiskAttribute::kOffline, true) == expected);
  expected[8] = 0;
  CHECK(support::set_disk_attribute(support::DiskAttribute::kOffline, false) == expected);
  expected[16] = 2;
  CHECK(support::set_disk_attribute(support::DiskAttribute::kReadOnly, false) == expected);
}

}  // namespace
}  // namespace longshore::disk
