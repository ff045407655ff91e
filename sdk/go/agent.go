// Package longshore runs an agent inside this process, by liblongshore: on Windows without cgo, by
// liblongshore.dll; on Linux by cgo.
//
// The packages below pkg are csi-proxy's library for Go over such an agent.
package longshore

import (
	"context"
	"strings"
	"sync"
	"time"
)

// Options say what agent to start.
type Options struct {
	// The configuration: the path of a file (conf.d beside it is read too), or TOML text. Neither:
	// an empty one, without modules.
	File string
	Text string
	// Folders searched for modules before agent.module_dirs.
	ModuleDirs []string
	// Windows: the absolute path of liblongshore.dll. Empty: it lies beside the program. Elsewhere
	// the program is linked with the library, and this has to be empty.
	Library string
	// Gets the log's lines from agent.log.level on. It may be called on any goroutine, also while
	// Open and Close run, and must not call the agent. Nil: they go to agent.log.file, or nowhere.
	Log func(level Level, line string)
}

// Level is how much a line of the log matters.
type Level int

// The levels.
const (
	LevelDebug   Level = 1
	LevelInfo    Level = 2
	LevelWarning Level = 3
	LevelError   Level = 4
)

// Agent is a running agent. Its methods may be called on any goroutine.
type Agent struct {
	lock   sync.RWMutex // shared by those who call the library, who never wait for it; exclusive for Close
	native *nativeAgent // nil when closed
	log    uintptr
}

// Open starts an agent and its modules. A module that does not start does not keep the others from
// serving: calls to it tell why.
func Open(options Options) (*Agent, error) {
	for _, text := range append([]string{options.File, options.Text, options.Library}, options.ModuleDirs...) {
		if hasZero(text) {
			return nil, &Error{codeInvalidArgument, "the options of the agent hold a zero byte"}
		}
	}
	agent := &Agent{}
	if options.Log != nil {
		agent.log = callbacks.add(options.Log)
	}
	var err error
	if agent.native, err = createAgent(&options, agent.log); err != nil {
		callbacks.take(agent.log)
		return nil, err
	}
	return agent, nil
}

// Close stops the modules. Calls that run are awaited for agent.stop_timeout and then cancelled;
// each of them has its outcome. Those that come meanwhile are refused. An error says what was left
// behind; the agent is gone all the same.
func (a *Agent) Close() error {
	a.lock.Lock()
	defer a.lock.Unlock()
	if a.native == nil {
		return nil
	}
	err := a.native.destroy()
	a.native = nil
	callbacks.take(a.log)
	return err
}

// Call calls a unary method ("v1.Filesystem/PathExists") with a protobuf message's bytes and answers
// the response's. It ends early with the context, whose deadline the module is told; what the module
// has begun may still take effect then. Of a method that streams only the end is told.
func (a *Agent) Call(ctx context.Context, method string, request []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if hasZero(method) {
		return nil, &Error{codeInvalidArgument, "the method's name holds a zero byte"}
	}
	var timeout time.Duration
	if deadline, ok := ctx.Deadline(); ok {
		timeout = 1 // it may have passed just now, and 0 would mean none
		if left := time.Until(deadline); left > 0 {
			timeout = left
		}
	}
	done := make(chan nativeReply, 1)
	native, call, err := a.start(method, request, timeout, done)
	if err != nil {
		return nil, err
	}
	select {
	case reply := <-done:
		return native.take(reply)
	case <-ctx.Done():
		if !a.cancel(call) {
			go func() { native.take(<-done) }() // it comes when Close has ended the call
			return nil, ctx.Err()
		}
		answer, err := native.take(<-done) // it comes at once now, whatever the module does
		status, ok := err.(*Error)
		if ok && status.Code == codeCancelled && ctx.Err() == context.DeadlineExceeded {
			// The context's clock was faster than the agent's.
			return nil, &Error{codeDeadlineExceeded, "the caller's deadline is over"}
		}
		return answer, err
	}
}

// start answers who can read the reply, and the call's handle.
func (a *Agent) start(method string, request []byte, timeout time.Duration, done chan nativeReply) (*nativeAgent, uint64, error) {
	closed := &Error{codeFailedPrecondition, "the agent is closed"}
	if !a.lock.TryRLock() {
		return nil, 0, closed
	}
	defer a.lock.RUnlock()
	if a.native == nil {
		return nil, 0, closed
	}
	key := callbacks.add(done)
	call, err := a.native.start(method, request, timeout, key)
	if err != nil {
		callbacks.take(key)
	}
	return a.native, call, err
}

// cancel answers whether the call has its outcome now: not while Close runs, which nobody may wait
// for here and beside which the library takes no call.
func (a *Agent) cancel(call uint64) bool {
	if !a.lock.TryRLock() {
		return false
	}
	defer a.lock.RUnlock()
	if a.native != nil {
		a.native.cancel(call)
	}
	return true
}

func hasZero(text string) bool { return strings.IndexByte(text, 0) >= 0 }
