// What reparse data says, and that of damaged data nothing is believed.
#include "support/windows/reparse_point.h"

#include <catch2/catch.hpp>

#include "tests/support/windows/reparse_bytes.h"

namespace longshore::support {
namespace {

using Bytes = std::vector<std::byte>;

using Layout = test::ReparseLayout;
using test::append_number;
using test::reparse_bytes;
constexpr uint32_t kLinkTag = test::kSymbolicLinkTag;
constexpr uint32_t kMountTag = test::kMountPointTag;

constexpr std::wstring_view kVolumeObject = L"\\??\\Volume{01234567-89ab-CDEF-0123-456789abcdef}\\";
constexpr std::wstring_view kVolume = L"\\\\?\\Volume{01234567-89ab-CDEF-0123-456789abcdef}\\";

constexpr std::wstring_view kWithZero(L"\\??\\C:\\a\0b", 10);

TEST_CASE("symbolic links are told with where they lead, by the name that the system follows") {
  struct Case {
    std::wstring_view name, target;
  };
  const auto [name, target] = GENERATE(values<Case>({
      {L"\\??\\C:\\var\\lib", L"C:\\var\\lib"},
      {L"\\??\\c:\\", L"c:\\"},
      {L"\\??\\D:", L"D:\\"},
      {L"\\??\\C:\\a b\\\u00e4\\..", L"C:\\a b\\\u00e4\\.."},
      {L"\\??\\UNC\\server\\share\\", L"\\\\server\\share\\"},
      {L"\\??\\unc\\server\\share", L"\\\\server\\share"},
      {L"\\??\\UNCertain", L"\\\\?\\UNCertain"},
      {L"\\??\\C:x", L"\\\\?\\C:x"},
      {L"\\??\\1:\\x", L"\\\\?\\1:\\x"},
      {L"\\??\\GLOBALROOT\\Device\\Null", L"\\\\?\\GLOBALROOT\\Device\\Null"},
      {L"\\Device\\HarddiskVolume1\\x", L"\\\\?\\GLOBALROOT\\Device\\HarddiskVolume1\\x"},
      {L"\\\\?\\C:\\x", L"\\\\?\\C:\\x"},
      {L"C:\\x", L"\\\\?\\GLOBALROOTC:\\x"},
  }));
  const auto point = decode_reparse_point(reparse_bytes({.name = name}));
  REQUIRE(point);
  CHECK(point->kind == ReparseKind::kSymbolicLink);
  CHECK(point->tag == kLinkTag);
  CHECK_FALSE(point->is_relative);
  CHECK(point->target == target);
}

TEST_CASE("a relative link's target is its text") {
  for (const std::wstring_view text : {L"..\\a", L"a", L"\\a", L"..", L"\\??\\C:\\x"}) {
    const auto point = decode_reparse_point(reparse_bytes({.name = text, .flags = 1}));
    REQUIRE(point);
    CHECK(point->kind == ReparseKind::kSymbolicLink);
    CHECK(point->is_relative);
    CHECK(point->target == text);
  }
}

TEST_CASE("a symbolic link to a volume's name is a link, and no mount point") {
  const auto point = decode_reparse_point(reparse_bytes({.name = kVolumeObject}));
  REQUIRE(point);
  CHECK(point->kind == ReparseKind::kSymbolicLink);
  CHECK(point->target == kVolume);
}

TEST_CASE("of the tag that they share a volume is told from a path") {
  struct Case {
    std::wstring_view name;
    ReparseKind kind;
    std::wstring_view target;
  };
  const std::wstring_view open_end = kVolumeObject.substr(0, kVolumeObject.size() - 1);
  const std::wstring below = std::wstring(kVolumeObject) + L"x";
  const std::wstring shown_below = std::wstring(kVolume) + L"x";
  const Case cases[] = {
      {kVolumeObject, ReparseKind::kVolumeMountPoint, kVolume},
      {open_end, ReparseKind::kVolumeMountPoint, kVolume},
      {L"\\??\\volume{01234567-89AB-cdef-0123-456789ABCDEF}\\", ReparseKind::kVolumeMountPoint,
       L"\\\\?\\volume{01234567-89AB-cdef-0123-456789ABCDEF}\\"},
      {L"\\??\\C:\\var", ReparseKind::kJunction, L"C:\\var"},
      {below, ReparseKind::kJunction, shown_below},
      {L"\\??\\Volume{0123}\\", ReparseKind::kJunction, L"\\\\?\\Volume{0123}\\"},
      {L"\\??\\Volume{0123456789ab-CDEF-0123-456789abcdef-x}\\", ReparseKind::kJunction,
       L"\\\\?\\Volume{0123456789ab-CDEF-0123-456789abcdef-x}\\"},
      {L"\\??\\Volume{0123456g-89ab-CDEF-0123-456789abcdef}\\", ReparseKind::kJunction,
       L"\\\\?\\Volume{0123456g-89ab-CDEF-0123-456789abcdef}\\"},
      {L"\\??\\Volumes01234567-89ab-CDEF-0123-456789abcdef}\\", ReparseKind::kJunction,
       L"\\\\?\\Volumes01234567-89ab-CDEF-0123-456789abcdef}\\"},
  };
  for (const Case& each : cases) {
    const auto point = decode_reparse_point(reparse_bytes({.tag = kMountTag, .name = each.name}));
    REQUIRE(point);
    CHECK(point->kind == each.kind);
    CHECK_FALSE(point->is_relative);
    CHECK(point->target == each.target);
  }
}

TEST_CASE("other tags are told by their number, whatever their data") {
  const uint32_t tag = GENERATE(0x80000013u, 0x9000001Au, 0xA000001Du, 0x00000001u, 0u);
  Bytes bytes;
  append_number(bytes, tag, 4);
  append_number(bytes, 0xffff, 4);  // a length that its data does not have
  const auto point = decode_reparse_point(bytes);
  REQUIRE(point);
  CHECK(point->kind == ReparseKind::kOther);
  CHECK(point->tag == tag);
  CHECK(point->target.empty());
  CHECK(point->is_name_surrogate() == (tag == 0xA000001Du));
}

TEST_CASE("damaged reparse data is no link") {
  const Layout layout = GENERATE(values<Layout>({
      {.name = L""},
      {.name = kWithZero},
      {.name = L"\\??\\C:\\a", .data_length = 0},
      {.name = L"\\??\\C:\\a", .data_length = 11},
      {.name = L"\\??\\C:\\a", .data_length = 12 + 14},
      {.name = L"\\??\\C:\\a", .data_length = 0xffff},
      {.name = L"\\??\\C:\\a", .name_offset = 1},
      {.name = L"\\??\\C:\\a", .name_offset = 0xfffe},
      {.name = L"\\??\\C:\\a", .name_offset = 20},
      {.name = L"\\??\\C:\\a", .name_length = 0},
      {.name = L"\\??\\C:\\a", .name_length = 3},
      {.name = L"\\??\\C:\\a", .name_length = 34},
      {.name = L"\\??\\C:\\a", .name_length = 0xfffe},
      {.name = L"\\??\\C:\\a", .name_offset = 0xfffe, .name_length = 0xfffe},
  }));
  for (const uint32_t tag : {kLinkTag, kMountTag}) {
    Layout tagged = layout;
    tagged.tag = tag;
    // A mount point's fixed part is four bytes shorter, and its names have their zeros.
    if (tag == kMountTag && tagged.data_length == 11) tagged.data_length = 7;
    if (tag == kMountTag && tagged.data_length == 26) tagged.data_length = 8 + 14;
    if (tag == kMountTag && tagged.name_length == 34) tagged.name_length = 38;
    CAPTURE(tag, tagged.data_length.value_or(1), tagged.name_offset.value_or(1),
            tagged.name_length.value_or(1));
    CHECK_FALSE(decode_reparse_point(reparse_bytes(tagged)));
  }
}

TEST_CASE("reparse data that ends anywhere before its end is no link") {
  for (const uint32_t tag : {kLinkTag, kMountTag}) {
    const Bytes whole = reparse_bytes({.tag = tag, .name = L"\\??\\C:\\a"});
    REQUIRE(decode_reparse_point(whole));
    for (size_t size = 0; size < whole.size(); ++size) {
      CHECK_FALSE(decode_reparse_point(std::span(whole).first(size)));
    }
    Bytes longer = whole;
    longer.resize(16 * 1024);
    CHECK(decode_reparse_point(longer));
    longer.push_back(std::byte{0});
    CHECK_FALSE(decode_reparse_point(longer));
  }
}

TEST_CASE("a link to a share is made with the name that the system has for it") {
  const auto data = encode_symbolic_link(L"\\\\files\\share\\a\\");
  REQUIRE(data);
  CHECK(*data == reparse_bytes(
                     {.name = L"\\??\\UNC\\files\\share\\a\\", .shown = L"\\\\files\\share\\a\\"}));
  CHECK(decode_reparse_point(*data)->target == L"\\\\files\\share\\a\\");
}

TEST_CASE("a link that is made reads as what it was made of") {
  const auto data = encode_symbolic_link(L"C:\\var\\\u00e4");
  REQUIRE(data);
  CHECK(*data == reparse_bytes({.name = L"\\??\\C:\\var\\\u00e4", .shown = L"C:\\var\\\u00e4"}));
  CHECK(decode_reparse_point(*data)->target == L"C:\\var\\\u00e4");
  const std::wstring longest = L"C:\\" + std::wstring(4086, L'x');
  CHECK(decode_reparse_point(*encode_symbolic_link(longest))->target == longest);
  CHECK_FALSE(encode_symbolic_link(longest + L"x"));
}

}  // namespace
}  // namespace longshore::support
