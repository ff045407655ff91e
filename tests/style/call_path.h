// The list of functions that a call goes through, in agent/README.md, is true: each is defined in
// the file that is named, and calls the next one of its block.
#pragma once

#include "tests/style/source_tree.h"

namespace longshore::style {

Findings check_call_path(const SourceTree& tree);

}  // namespace longshore::style
