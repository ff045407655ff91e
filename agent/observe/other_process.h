// Another process that has what this one needs, a socket or a lock: who it is, and what to do.
#pragma once

#include <string>

#include "longshore/result.hpp"

namespace longshore::observe {

// Adds to `error` that the process `does` ("listens on it"), and as advice to stop it or to change
// `setting`. One that was killed and cannot end, or sleeps where no signal wakes it, is told from
// others: who waits for it has to know what it waits for. 0, or what is no process: not known.
Error taken_by(int process, Error error, const std::string& does, const std::string& setting);

// The process that has the BSD lock on an open file; 0: nobody can tell.
int lock_holder_of(int descriptor);

}  // namespace longshore::observe
