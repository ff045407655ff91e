// What a child process gives up before it runs any code of the module.
//
// Threads: the first, while there is no other: the system keeps part of it for each thread.
#pragma once

#include "longshore/child/v1.pb.h"
#include "longshore/result.hpp"

namespace longshore::supervise {

Result<void> restrict_process(const child::v1::Restrictions& restrictions);

}  // namespace longshore::supervise
