// The tables of tests/README.md that tell where each method of the six groups is run.
#pragma once

#include "tests/style/source_tree.h"

namespace longshore::style {

// Each method that a .proto file of a group has is in the group's two tables: the one of the
// layers, by its name alone, and the one of its versions on Windows, where each version that has
// it, and no other, says where it is run.
Findings check_method_tables(const SourceTree& tree);

}  // namespace longshore::style
