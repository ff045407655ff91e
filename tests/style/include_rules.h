// Who may include whom: the order of the folders, as code.
#pragma once

#include "tests/style/source_tree.h"

namespace longshore::style {

// The SDK includes nothing of ours, and the ABI header not even the SDK; what modules are made of
// includes neither the fake host nor the template. A module or plugin includes the SDK, its own
// folder and `support` beside it. A folder of the agent includes the SDK and the folders below it,
// and no messages of a group.
Findings check_folders(const SourceTree& tree);

// No header leads back to itself.
Findings check_circles(const SourceTree& tree);

// What only one system has is included below linux/ and windows/, or right
// beneath an #if that asks for the system; and a service, which gives a
// group its meaning, includes the standard library and the SDK alone.
Findings check_system_headers(const SourceTree& tree);

}  // namespace longshore::style
