// A pipe between this process and a child's.
#pragma once

#include "longshore/result.hpp"
#include "longshore/windows/handle.hpp"

namespace longshore::supervise {

struct ChildPipe {
  Handle own;  // opened with FILE_FLAG_OVERLAPPED; not inherited
  Handle its;  // inheritable
};

enum class Direction { kToChild, kFromChild };
// For the child's end: as a file that programs write to, or with FILE_FLAG_OVERLAPPED.
enum class Way { kPlain, kOverlapped };

// Nobody but this user can open it, no other machine, and nobody at all once it is made: it has one
// instance, and a name that cannot be guessed.
Result<ChildPipe> make_child_pipe(Direction direction, Way its);

}  // namespace longshore::supervise
