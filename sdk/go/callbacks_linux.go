package longshore

/*
#include <longshore/agent.h>
*/
import "C"

// longshoreGoDone gets a call's outcome, on a thread of the library's.
//
//export longshoreGoDone
func longshoreGoDone(user C.uintptr_t, reply *C.longshore_reply) {
	tellDone(uintptr(user), nativeReply(reply))
}

//export longshoreGoLine
func longshoreGoLine(user C.uintptr_t, level C.int32_t, line *C.char, size C.size_t) {
	tellLine(uintptr(user), int32(level), C.GoStringN(line, C.int(size)))
}
