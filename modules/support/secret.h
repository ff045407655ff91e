// The SDK's secrets, under the name that modules here know them by.
#pragma once

#include "longshore/secret.hpp"

namespace longshore::support {

using longshore::Secret;
using longshore::wipe;

}  // namespace longshore::support
