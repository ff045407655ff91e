// Package longshore runs an agent inside this process: liblongshore by cgo, and nothing else.
//
// Build with CGO_CFLAGS and CGO_LDFLAGS from "pkg-config --cflags --libs longshore" when the
// library is not where the compiler looks by itself.
package longshore

/*
#cgo LDFLAGS: -llongshore
#include <longshore/agent.h>
#include <stdlib.h>

void longshore_go_start(longshore_agent* agent, const char* method, const void* request,
                        size_t size, const longshore_call_options* options, uintptr_t user,
                        uint64_t* call);
*/
import "C"

import (
	"context"
	"fmt"
	"runtime/cgo"
	"time"
	"unsafe"
)

// Error is how a call failed: gRPC's status code and a sentence.
type Error struct {
	Code int
	Text string
}

func (e *Error) Error() string { return fmt.Sprintf("status %d: %s", e.Code, e.Text) }

// Agent is a running agent. Its methods may be called on any goroutine until Close.
type Agent struct {
	agent *C.longshore_agent
}

// Open starts an agent by a configuration file.
func Open(file string) (*Agent, error) {
	path := C.CString(file)
	defer C.free(unsafe.Pointer(path))
	options := (*C.longshore_agent_options)(C.calloc(1, C.sizeof_longshore_agent_options))
	defer C.free(unsafe.Pointer(options))
	options.struct_size = C.sizeof_longshore_agent_options
	options.toml_file = path
	var agent *C.longshore_agent
	var reply *C.longshore_reply
	code := C.longshore_agent_create(options, &agent, &reply)
	defer C.longshore_reply_free(reply)
	if code != 0 {
		return nil, errorOf(reply)
	}
	return &Agent{agent}, nil
}

// Close stops the modules. No call may be running.
func (a *Agent) Close() {
	C.longshore_agent_destroy(a.agent, nil)
	a.agent = nil
}

// Call calls a unary method ("v1.Filesystem/PathExists") with a protobuf message's bytes. It ends
// early with the context, whose deadline the module is told.
func (a *Agent) Call(ctx context.Context, method string, request []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	name := C.CString(method)
	defer C.free(unsafe.Pointer(name))
	bytes := C.CBytes(request)
	defer C.free(bytes)
	options := C.longshore_call_options{struct_size: C.sizeof_longshore_call_options}
	if deadline, ok := ctx.Deadline(); ok {
		options.timeout_ns = 1 // it may have passed just now, and 0 would mean none
		if left := time.Until(deadline); left > 0 {
			options.timeout_ns = C.int64_t(left)
		}
	}

	done := make(chan *C.longshore_reply, 1)
	user := cgo.NewHandle(done)
	defer user.Delete()
	var call C.uint64_t
	C.longshore_go_start(a.agent, name, bytes, C.size_t(len(request)), &options,
		C.uintptr_t(user), &call)

	var reply *C.longshore_reply
	select {
	case reply = <-done:
	case <-ctx.Done():
		C.longshore_agent_cancel(a.agent, call)
		reply = <-done // it comes at once now, whatever the module does
	}
	defer C.longshore_reply_free(reply)
	if C.longshore_reply_code(reply) != 0 {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("%w: %v", err, errorOf(reply))
		}
		return nil, errorOf(reply)
	}
	return C.GoBytes(C.longshore_reply_data(reply), C.int(C.longshore_reply_size(reply))), nil
}

func errorOf(reply *C.longshore_reply) error {
	return &Error{int(C.longshore_reply_code(reply)), C.GoString(C.longshore_reply_text(reply))}
}
