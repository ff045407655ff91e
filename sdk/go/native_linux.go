package longshore

/*
#cgo LDFLAGS: -llongshore
#include <stdlib.h>

#include "native_linux.h"
*/
import "C"

import (
	"time"
	"unsafe"
)

type nativeAgent struct {
	agent *C.longshore_agent
}

type nativeReply *C.longshore_reply

func createAgent(options *Options, log uintptr) (*nativeAgent, error) {
	if options.Library != "" {
		return nil, &Error{codeInvalidArgument, "Library is for Windows: here the program is linked with it"}
	}
	var texts []unsafe.Pointer
	defer func() {
		for _, text := range texts {
			C.free(text)
		}
	}()
	text := func(value string) *C.char {
		made := C.CString(value)
		texts = append(texts, unsafe.Pointer(made))
		return made
	}
	textOrNil := func(value string) *C.char {
		if value == "" {
			return nil
		}
		return text(value)
	}
	var folders **C.char
	if count := len(options.ModuleDirs); count > 0 {
		folders = (**C.char)(C.calloc(C.size_t(count+1), C.size_t(unsafe.Sizeof(*folders))))
		texts = append(texts, unsafe.Pointer(folders))
		for i, folder := range options.ModuleDirs {
			unsafe.Slice(folders, count)[i] = text(folder)
		}
	}
	agent := &nativeAgent{}
	var native *C.longshore_agent
	var reply *C.longshore_reply
	code := C.longshore_go_create(textOrNil(options.Text), textOrNil(options.File), folders,
		C.uintptr_t(log), &native, &reply)
	_, err := agent.take(reply)
	if code != 0 {
		return nil, err
	}
	agent.agent = native
	return agent, nil
}

func (a *nativeAgent) destroy() error {
	var reply *C.longshore_reply
	C.longshore_agent_destroy(a.agent, &reply)
	_, err := a.take(reply)
	return err
}

func (a *nativeAgent) start(method string, request []byte, timeout time.Duration, key uintptr) (uint64, error) {
	name := C.CString(method)
	defer C.free(unsafe.Pointer(name))
	var first unsafe.Pointer
	if len(request) > 0 {
		first = unsafe.Pointer(&request[0])
	}
	var call C.uint64_t
	code := C.longshore_go_start(a.agent, name, first, C.size_t(len(request)), C.int64_t(timeout),
		C.uintptr_t(key), &call)
	if code != 0 {
		return 0, &Error{int(code), "there is no memory for the call"}
	}
	return uint64(call), nil
}

func (a *nativeAgent) cancel(call uint64) { C.longshore_agent_cancel(a.agent, C.uint64_t(call)) }

// take frees the reply.
func (a *nativeAgent) take(reply nativeReply) ([]byte, error) {
	defer C.longshore_reply_free(reply)
	if code := C.longshore_reply_code(reply); code != 0 {
		return nil, &Error{int(code), C.GoString(C.longshore_reply_text(reply))}
	}
	return C.GoBytes(C.longshore_reply_data(reply), C.int(C.longshore_reply_size(reply))), nil
}
