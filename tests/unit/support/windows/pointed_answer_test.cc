// Where an answer's pointers may lead.
#include "support/windows/pointed_answer.h"

#include <catch2/catch.hpp>

#include "tests/support/windows/pointed_bytes.h"

namespace longshore::support {
namespace {

using test::PointedBytes;
constexpr uint64_t kAddress = PointedBytes::kAddress;

TEST_CASE("structures are read where they lie whole and aligned, and nowhere else") {
  PointedBytes bytes;
  for (const uint32_t number : {1u, 2u, 3u}) bytes.add(number);
  using Numbers = std::vector<uint32_t>;
  const PointedAnswer answer = bytes.answer();
  CHECK(answer.front<uint32_t>(3) == Numbers{1, 2, 3});
  CHECK(answer.array<uint32_t>(kAddress + 4, 2) == Numbers{2, 3});
  CHECK(answer.array<uint32_t>(bytes.end(), 0) == Numbers{});
  CHECK_FALSE(answer.array<uint32_t>(bytes.end(), 1));
  CHECK_FALSE(answer.array<uint32_t>(kAddress + 4, 3));
  CHECK_FALSE(answer.array<uint32_t>(kAddress + 2, 1));
  CHECK_FALSE(answer.array<uint32_t>(kAddress - 4, 1));
  CHECK_FALSE(answer.array<uint32_t>(0, 0));
  CHECK_FALSE(answer.array<uint32_t>(UINT64_MAX - 3, 1));
  CHECK_FALSE(answer.array<uint32_t>(bytes.end() + 4, 0));
  // So many that their size is a small number again.
  CHECK_FALSE(answer.front<uint32_t>((uint64_t{1} << 62) + 1));
  CHECK_FALSE(bytes.answer(11).front<uint32_t>(3));
  CHECK_FALSE(PointedAnswer({}, kAddress).front<uint32_t>(1));
}

TEST_CASE("an answer at the end of all memory has nothing behind it") {
  PointedBytes bytes;
  bytes.add(u"ab");
  const PointedAnswer last(bytes.plain(), UINT64_MAX - 5);
  CHECK(last.text(UINT64_MAX - 5) == "ab");
  CHECK(last.text(UINT64_MAX - 1) == "");
  CHECK_FALSE(last.text(0));
}

TEST_CASE("a text has its end within the answer") {
  PointedBytes bytes;
  const uint64_t first = bytes.add(u"first");
  const uint64_t second = bytes.add(u"second");
  CHECK(bytes.answer().text(first) == "first");
  CHECK(bytes.answer().text(second + 2) == "econd");
  CHECK(bytes.answer().text(bytes.end() - 2) == "");
  CHECK_FALSE(bytes.answer().text(bytes.end()));
  CHECK_FALSE(bytes.answer().text(first + 1));
  CHECK_FALSE(bytes.answer().text(first - 2));
  CHECK_FALSE(bytes.answer().text(0));
  CHECK(bytes.answer().text(first, 6) == "first");
  CHECK_FALSE(bytes.answer().text(first, 5));
  // Without its zero, and with half of it.
  CHECK_FALSE(bytes.answer(bytes.size() - 2).text(second));
  CHECK_FALSE(bytes.answer(bytes.size() - 1).text(second));
}

TEST_CASE("texts are UTF-8 afterwards, whatever is in them") {
  const auto [units, text] = GENERATE(table<std::u16string, std::string>({
      {u"", ""},
      {u"a\u007f\u0080\u07ff", "a\x7f\xc2\x80\xdf\xbf"},
      {u"\u0800\uffff", "\xe0\xa0\x80\xef\xbf\xbf"},
      {u"\U00010000\U0001f4be\U0010ffff", "\xf0\x90\x80\x80\xf0\x9f\x92\xbe\xf4\x8f\xbf\xbf"},
      {{0xd83d, u'x'}, "\xef\xbf\xbdx"},
      {{u'x', 0xd83d}, "x\xef\xbf\xbd"},
      {{0xdcbe, 0xd83d}, "\xef\xbf\xbd\xef\xbf\xbd"},
  }));
  CHECK(utf8_of(units) == text);
}

TEST_CASE("a text that fills its whole array is read no farther") {
  struct {
    char16_t text[3];
    char16_t next;
  } fields{{u'a', u'b', u'c'}, u'd'};
  CHECK(text_in(fields.text) == "abc");
  fields.text[1] = u'\0';
  CHECK(text_in(fields.text) == "a");
}

}  // namespace
}  // namespace longshore::support
