// What a child process has from the agent that started it.
//
// Threads: the first, while there is no other; `are_pipes_open` any.
#pragma once

#include <memory>

#include "longshore/result.hpp"
#include "supervise/pipe_transport.h"

namespace longshore::supervise {

// The pipes to the agent. They are not for programs that the module starts, and their end is no
// signal and no dialog. An error: the agent has not started this process.
Result<std::unique_ptr<PipeTransport>> take_inherited_pipes();

// A module that closes what belongs to others may have closed them.
bool are_pipes_open();

}  // namespace longshore::supervise
