// WMI's values as COM carries them.
//
// What a provider put into an answer is not believed: what is none of CIM's types is nothing.
//
// Threads: any with COM; plain functions.
#pragma once

#include <windows.h>
// After windows.h.
#include <oleauto.h>

#include <string>

#include "support/windows/wmi.h"

namespace longshore::support {

std::string narrow_string(BSTR string);

WmiValue wmi_value(const VARIANT& variant);

// Into an empty one, which the caller clears.
void set_wmi_value(VARIANT* variant, const WmiValue& value);

// Before a text goes back to where freed strings wait for others.
void wipe_text(VARIANT* variant);

}  // namespace longshore::support
