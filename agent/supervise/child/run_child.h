// The life of longshore-modulehost: greets the agent, gives up what it is told to, loads the module
// and serves it until the agent, or its end of the pipes, goes away.
#pragma once

namespace longshore::supervise {

// The exit status.
int run_child();

}  // namespace longshore::supervise
