// What no file may do, apart from what it includes.
#pragma once

#include "tests/style/source_tree.h"

namespace longshore::style {

// The agent works for any group: no name of one is a word of its identifiers or strings. Comments
// may give examples, and std::filesystem is not a group.
Findings check_group_names(const SourceTree& tree);

// At most 500 lines, and every header is safe to include twice.
Findings check_shape(const SourceTree& tree);

// What tools make from other files stays in the build tree.
Findings check_generated(const SourceTree& tree);

// Programs are started with argument arrays, never by a shell.
Findings check_shells(const SourceTree& tree);

// Nothing is fetched: no file names a host on the network except in prose and examples.
Findings check_hosts(const SourceTree& tree);

}  // namespace longshore::style
