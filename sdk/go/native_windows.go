//go:build amd64

package longshore

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// library is liblongshore.dll and those of its functions that are used here.
type library struct {
	create, destroy, startCall, cancel                    *syscall.Proc
	replyCode, replyText, replyData, replySize, replyFree *syscall.Proc
}

// The structs of longshore/agent.h.
type agentOptions struct {
	structSize uint64
	tomlText   *byte
	tomlFile   *byte
	moduleDirs **byte
	log        uintptr
	logUser    uintptr
}

type callOptions struct {
	structSize uint64
	timeoutNs  int64
	requestID  *byte
}

type callEvents struct {
	structSize uint64
	user       uintptr
	onMessage  uintptr
	onDone     uintptr
}

// Windows lets a process have 2,000 such functions, which are never freed: these two are made once.
var (
	makeFunctions  sync.Once
	onDone, onLine uintptr
)

type nativeAgent struct {
	library *library
	agent   uintptr
	// Never runs out. Go does not know that a thread of the library's will bring the outcome that a
	// goroutine waits for: where nothing else goes on in the process, not even a timer, it takes
	// that for a deadlock and ends the process. With cgo it does not.
	awake *time.Timer
}

type nativeReply uintptr

// openLibrary loads the DLL by its absolute path. What it needs itself is sought in its folder and
// in System32, never where PATH or the working folder lead.
func openLibrary(path string) (*library, error) {
	if path == "" {
		program, err := os.Executable()
		if err != nil {
			return nil, err
		}
		path = filepath.Join(filepath.Dir(program), "liblongshore.dll")
	}
	if !filepath.IsAbs(path) {
		return nil, &Error{codeInvalidArgument, fmt.Sprintf("the library %q needs an absolute path", path)}
	}
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	const besideItAndSystem32 = 0x100 | 0x800
	handle, _, err := syscall.NewLazyDLL("kernel32.dll").NewProc("LoadLibraryExW").Call(
		uintptr(unsafe.Pointer(name)), 0, besideItAndSystem32)
	if handle == 0 {
		return nil, fmt.Errorf("loading %s: %w", path, err)
	}
	dll := &syscall.DLL{Name: path, Handle: syscall.Handle(handle)}
	loaded := &library{}
	for name, function := range map[string]**syscall.Proc{
		"longshore_agent_create":     &loaded.create,
		"longshore_agent_destroy":    &loaded.destroy,
		"longshore_agent_start_call": &loaded.startCall,
		"longshore_agent_cancel":     &loaded.cancel,
		"longshore_reply_code":       &loaded.replyCode,
		"longshore_reply_text":       &loaded.replyText,
		"longshore_reply_data":       &loaded.replyData,
		"longshore_reply_size":       &loaded.replySize,
		"longshore_reply_free":       &loaded.replyFree,
	} {
		if *function, err = dll.FindProc(name); err != nil {
			return nil, err
		}
	}
	makeFunctions.Do(func() {
		onDone = syscall.NewCallback(func(user, reply uintptr) uintptr {
			tellDone(user, nativeReply(reply))
			return 0
		})
		onLine = syscall.NewCallback(func(user, level, line, size uintptr) uintptr {
			tellLine(user, int32(level), string(bytesAt(line, size)))
			return 0
		})
	})
	return loaded, nil
}

func createAgent(options *Options, log uintptr) (*nativeAgent, error) {
	library, err := openLibrary(options.Library)
	if err != nil {
		return nil, err
	}
	native := agentOptions{tomlText: textOrNil(options.Text), tomlFile: textOrNil(options.File)}
	native.structSize = uint64(unsafe.Sizeof(native))
	if len(options.ModuleDirs) > 0 {
		folders := make([]*byte, len(options.ModuleDirs)+1)
		for i, folder := range options.ModuleDirs {
			folders[i] = text(folder)
		}
		native.moduleDirs = &folders[0]
	}
	if log != 0 {
		native.log = onLine
		native.logUser = log
	}
	agent := &nativeAgent{library: library}
	var reply nativeReply
	code, _, _ := library.create.Call(uintptr(unsafe.Pointer(&native)),
		uintptr(unsafe.Pointer(&agent.agent)), uintptr(unsafe.Pointer(&reply)))
	_, err = agent.take(reply)
	if int32(code) != 0 {
		return nil, err
	}
	agent.awake = time.AfterFunc(math.MaxInt64, func() {})
	return agent, nil
}

func (a *nativeAgent) destroy() error {
	var reply nativeReply
	a.library.destroy.Call(a.agent, uintptr(unsafe.Pointer(&reply)))
	a.awake.Stop()
	_, err := a.take(reply)
	return err
}

// start has the module's code run on a thread of the library's, whose stack is as large as C needs.
func (a *nativeAgent) start(method string, request []byte, timeout time.Duration, key uintptr) (uint64, error) {
	options := callOptions{timeoutNs: int64(timeout)}
	options.structSize = uint64(unsafe.Sizeof(options))
	events := callEvents{user: key, onDone: onDone}
	events.structSize = uint64(unsafe.Sizeof(events))
	var first *byte
	if len(request) > 0 {
		first = &request[0]
	}
	var call uint64
	code, _, _ := a.library.startCall.Call(a.agent, uintptr(unsafe.Pointer(text(method))),
		uintptr(unsafe.Pointer(first)), uintptr(len(request)), uintptr(unsafe.Pointer(&options)),
		uintptr(unsafe.Pointer(&events)), uintptr(unsafe.Pointer(&call)))
	if int32(code) != 0 {
		return 0, &Error{int(int32(code)), "there is no memory for the call"}
	}
	return call, nil
}

func (a *nativeAgent) cancel(call uint64) { a.library.cancel.Call(a.agent, uintptr(call)) }

// take frees the reply.
func (a *nativeAgent) take(reply nativeReply) ([]byte, error) {
	defer a.library.replyFree.Call(uintptr(reply))
	if code, _, _ := a.library.replyCode.Call(uintptr(reply)); int32(code) != 0 {
		said, _, _ := a.library.replyText.Call(uintptr(reply))
		return nil, &Error{int(int32(code)), textAt(said)}
	}
	data, _, _ := a.library.replyData.Call(uintptr(reply))
	size, _, _ := a.library.replySize.Call(uintptr(reply))
	return bytesAt(data, size), nil
}

// text is C's form of a text without zero bytes.
func text(text string) *byte { return &append([]byte(text), 0)[0] }

func textOrNil(value string) *byte {
	if value == "" {
		return nil
	}
	return text(value)
}

// pointer is an address of the library's memory, which Go's collector does not know.
func pointer(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// bytesAt copies them.
func bytesAt(address, size uintptr) []byte {
	if size == 0 {
		return nil
	}
	return append([]byte(nil), unsafe.Slice((*byte)(pointer(address)), size)...)
}

// textAt copies a text that ends with a zero byte.
func textAt(address uintptr) string {
	var size uintptr
	for *(*byte)(unsafe.Add(pointer(address), size)) != 0 {
		size++
	}
	return string(bytesAt(address, size))
}
