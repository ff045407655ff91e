package longshore

/*
#include <longshore/agent.h>
*/
import "C"

import (
	"runtime/cgo"
)

// longshoreGoDone gets a call's outcome, on a thread of the library's.
//
//export longshoreGoDone
func longshoreGoDone(user C.uintptr_t, reply *C.longshore_reply) {
	cgo.Handle(user).Value().(chan *C.longshore_reply) <- reply
}
