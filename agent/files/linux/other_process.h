// Another process that has what this one needs, a socket or a lock: who it is, and what to do.
#pragma once

#include <string>

#include "longshore/result.hpp"

namespace longshore::files {

// Adds to `error` that the process `does` ("listens on it"), and as advice to stop it or to change
// `setting`. One that was killed and cannot end, or sleeps where no signal wakes it, is told from
// others: who waits for it has to know what it waits for. 0, or what is no process: not known.
Error taken_by(int process, Error error, const std::string& does, const std::string& setting);

// Whether the process was killed and is not gone yet, as when a thread of it waits in the kernel
// for a server that does not answer: it does nothing any more.
bool was_killed(int process);

}  // namespace longshore::files
