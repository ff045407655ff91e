// Where a thread is and by which calls it came there, for crash handlers: no allocation, and of
// locks only that of Windows' own unwinder.
//
// Threads: one.
#pragma once

#include <windows.h>

#include "observe/crash_text.h"

namespace longshore::observe {

// Tells each frame, the innermost first: "#00 0x1234 C:/.../longshore-disk.dll stamp 0x6b06a46d
// size 0x1a9000", with the place in the file as it lies in memory, and what debuggers find the same
// file by.
void tell_frames(const CONTEXT& crashed, void (*tell)(const CrashText& line));

}  // namespace longshore::observe
