// The folder of the program's sockets and state, made ready before an agent wants it.
//
// A Pod's emptyDir is open to all users, or with an fsGroup to this group, and no agent keeps
// anything where others could put links: one that is empty and belongs to this process's user is
// closed to them first. Who is not root cannot close root's, and has folders of its own in it.
//
// Threads: the main thread, before all others.
#pragma once

#include <string>

#include "longshore/result.hpp"

namespace longshore::sidecars {

// Makes what is missing. An error: nothing can be written there, or others can who should not.
Result<void> prepare_run_dir(const std::string& run_dir);

}  // namespace longshore::sidecars
