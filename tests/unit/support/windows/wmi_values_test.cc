// Values of COM's, true ones and those that no class of WMI's should have.
#include "support/windows/wmi_values.h"

#include <array>
#include <catch2/catch.hpp>
#include <limits>

#include "support/windows/com_objects.h"

namespace longshore::support {
namespace {

using Texts = std::vector<std::string>;

// An array of texts, "0", "1", and so on, whose first index is `first`.
void set_texts(ComVariant& variant, LONG first, ULONG count) {
  SAFEARRAYBOUND bound{count, first};
  variant.get()->vt = VT_ARRAY | VT_BSTR;
  variant.get()->parray = SafeArrayCreate(VT_BSTR, 1, &bound);
  for (ULONG i = 0; i < count; ++i) {
    LONG place = first + static_cast<LONG>(i);
    REQUIRE(SUCCEEDED(
        SafeArrayPutElement(variant.get()->parray, &place, ComString(std::to_string(i)).get())));
  }
}

WmiValue there_and_back(const WmiValue& value) {
  ComVariant variant;
  set_wmi_value(variant.get(), value);
  return wmi_value(*variant);
}

TEST_CASE("values come back as what they were, numbers beyond 32 bits as texts") {
  for (const WmiValue& value :
       {WmiValue(), WmiValue(true), WmiValue(false), WmiValue(int64_t{0}),
        WmiValue(int64_t{0xffffffff}), WmiValue(std::string()), WmiValue(std::string("\u00e4"))}) {
    CHECK((there_and_back(value) == value));
  }
  CHECK((there_and_back(int64_t{1} << 32) == WmiValue(std::string("4294967296"))));
  CHECK((there_and_back(int64_t{-1}) == WmiValue(std::string("-1"))));
}

TEST_CASE("a text that is not there is empty, and a type that WMI does not have is nothing") {
  ComVariant variant;
  variant.get()->vt = VT_BSTR;
  CHECK((wmi_value(*variant) == WmiValue(std::string())));
  for (const VARTYPE type : {VT_EMPTY, VT_R8, VT_UNKNOWN, VT_I8, VARENUM(VT_BYREF | VT_BSTR)}) {
    VARIANT other{};
    other.vt = type;
    CHECK((wmi_value(other) == WmiValue()));
  }
}

TEST_CASE("arrays of texts are read from their first index to their last, wherever these are") {
  // Wine gives no element of an array that ends at the largest number of all.
  for (const LONG first : {0L, 1L, -2L, std::numeric_limits<LONG>::max() - 2}) {
    CAPTURE(first);
    ComVariant variant;
    set_texts(variant, first, 2);
    CHECK((wmi_value(*variant) == WmiValue(Texts{"0", "1"})));
  }
  ComVariant empty;
  set_texts(empty, 0, 0);
  CHECK((wmi_value(*empty) == WmiValue(Texts())));
}

TEST_CASE("an array that is not there, or has two dimensions, has no texts") {
  VARIANT none{};
  none.vt = VT_ARRAY | VT_BSTR;
  CHECK((wmi_value(none) == WmiValue(Texts())));
  ComVariant variant;
  std::array<SAFEARRAYBOUND, 2> bounds{{{2, 0}, {2, 0}}};
  variant.get()->vt = VT_ARRAY | VT_BSTR;
  variant.get()->parray = SafeArrayCreate(VT_BSTR, 2, bounds.data());
  CHECK((wmi_value(*variant) == WmiValue(Texts())));
}

}  // namespace
}  // namespace longshore::support
