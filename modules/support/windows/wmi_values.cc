#include "support/windows/wmi_values.h"

#include <limits>
#include <string_view>

#include "longshore/windows/wide_text.hpp"

namespace longshore::support {
namespace {

std::vector<std::string> strings_of(SAFEARRAY* array) {
  // More dimensions would want an index for each.
  if (array == nullptr || SafeArrayGetDim(array) != 1) return {};
  LONG first = 0;
  LONG last = -1;
  if (FAILED(SafeArrayGetLBound(array, 1, &first)) || FAILED(SafeArrayGetUBound(array, 1, &last))) {
    return {};
  }
  std::vector<std::string> strings;
  // The last index may be the largest number that there is.
  for (int64_t place = first; place <= last; ++place) {
    auto index = static_cast<LONG>(place);
    BSTR string = nullptr;
    if (FAILED(SafeArrayGetElement(array, &index, &string))) break;
    strings.push_back(narrow_string(string));
    SysFreeString(string);
  }
  return strings;
}

void set_text(VARIANT* variant, std::string_view text) {
  const std::wstring units = wide(text);
  variant->vt = VT_BSTR;
  variant->bstrVal = SysAllocStringLen(units.data(), static_cast<UINT>(units.size()));
}

void set_secret(VARIANT* variant, const Secret& secret) {
  std::wstring units = wide(secret.text());
  variant->vt = VT_BSTR;
  variant->bstrVal = SysAllocStringLen(units.data(), static_cast<UINT>(units.size()));
  SecureZeroMemory(units.data(), units.size() * sizeof(wchar_t));
}

}  // namespace

std::string narrow_string(BSTR string) {
  return string == nullptr ? std::string()
                           : narrow(std::wstring_view(string, SysStringLen(string)));
}

WmiValue wmi_value(const VARIANT& variant) {
  switch (variant.vt) {
    case VT_BOOL:
      return variant.boolVal != VARIANT_FALSE;
    case VT_UI1:
      return int64_t{variant.bVal};
    case VT_I2:
      return int64_t{variant.iVal};
    case VT_I4:
      // CIM's numbers of 32 bits have no sign.
      return static_cast<int64_t>(static_cast<uint32_t>(variant.lVal));
    case VT_BSTR:
      return narrow_string(variant.bstrVal);
    case VT_ARRAY | VT_BSTR:
      return strings_of(variant.parray);
    default:
      return std::monostate();
  }
}

void wipe_text(VARIANT* variant) {
  if (variant->vt == VT_BSTR) {
    SecureZeroMemory(variant->bstrVal, SysStringByteLen(variant->bstrVal));
  }
}

void set_wmi_value(VARIANT* variant, const WmiValue& value) {
  variant->vt = VT_NULL;
  if (const auto* flag = std::get_if<bool>(&value)) {
    variant->vt = VT_BOOL;
    variant->boolVal = *flag ? VARIANT_TRUE : VARIANT_FALSE;
  } else if (const auto* number = std::get_if<int64_t>(&value)) {
    // Larger ones are CIM's numbers of 64 bits, which are texts.
    const bool fits = *number >= 0 && *number <= std::numeric_limits<uint32_t>::max();
    if (!fits) return set_text(variant, std::to_string(*number));
    variant->vt = VT_I4;
    variant->lVal = static_cast<LONG>(*number);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    set_text(variant, *text);
  } else if (const auto* secret = std::get_if<WmiSecret>(&value)) {
    set_secret(variant, **secret);
  }
}

}  // namespace longshore::support
