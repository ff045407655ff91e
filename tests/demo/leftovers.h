// What a demonstration leaves in its folder when it is killed, and the end of it.
#pragma once

#include "longshore/result.hpp"

namespace longshore::demo {

// Unmounts whatever is mounted beneath the folder.
Result<void> unmount_all();

// Ends the programs that listen in the folder, unmounts what is mounted there and frees the loop
// devices of its files; the folder itself stays. To be called only where no demonstration runs.
Result<void> end_leftovers();

}  // namespace longshore::demo
