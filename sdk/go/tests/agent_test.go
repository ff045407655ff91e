package tests

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/longshore"
)

const aMinute = "\x08\xe0\xd4\x03" // milliseconds

// modulesFolder has the modules of the build that this program is of.
func modulesFolder(t *testing.T) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(filepath.Dir(filepath.Dir(program)), "modules")
}

// open starts an agent with modules, by the tables that name them.
func open(t *testing.T, modules string, options longshore.Options) *longshore.Agent {
	t.Helper()
	options.Text = fmt.Sprintf("[agent]\nstate_dir = '%s'\n%s", filepath.Join(t.TempDir(), "state"), modules)
	options.ModuleDirs = []string{modulesFolder(t)}
	agent, err := longshore.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := agent.Close(); err != nil {
			t.Error(err)
		}
	})
	return agent
}

// withTime is a context that no test should see the end of.
func withTime(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// watched is a context that tells when its end is waited for: the call has been started then.
type watched struct {
	context.Context
	isWaitedFor chan struct{}
	once        sync.Once
}

func watch(ctx context.Context) *watched {
	return &watched{Context: ctx, isWaitedFor: make(chan struct{})}
}

func (w *watched) Done() <-chan struct{} {
	w.once.Do(func() { close(w.isWaitedFor) })
	return w.Context.Done()
}

// code is gRPC's, of an error that a call ended with; 0 for none.
func code(t *testing.T, err error) int {
	t.Helper()
	var status *longshore.Error
	if err != nil && !errors.As(err, &status) {
		t.Fatalf("%v is no error of the agent's", err)
	}
	if status == nil {
		return 0
	}
	return status.Code
}

func expectCode(t *testing.T, wanted int, err error) {
	t.Helper()
	if code(t, err) != wanted {
		t.Errorf("not %d: %v", wanted, err)
	}
}

func TestCallsAreAnsweredAndLogged(t *testing.T) {
	var lines int32
	agent := open(t, "[modules.echo]", longshore.Options{Log: func(level longshore.Level, line string) {
		if level >= longshore.LevelDebug && level <= longshore.LevelError && line != "" {
			atomic.AddInt32(&lines, 1)
		}
	}})
	if atomic.LoadInt32(&lines) == 0 {
		t.Error("nothing was logged")
	}
	long := "\n\x80\x80\x40" + strings.Repeat("x", 1<<20)
	for _, text := range []string{"", "\n\003abc", "\n\002\xc3\xa4", long} {
		answer, err := agent.Call(withTime(t), "longshore.echo.v1.Echo/Say", []byte(text))
		if err != nil || string(answer) != text {
			t.Errorf("%d bytes answer %d: %v", len(text), len(answer), err)
		}
	}
}

func TestManyGoroutinesCallAtOnce(t *testing.T) {
	agent := open(t, "[modules.echo]", longshore.Options{})
	ctx := withTime(t)
	var callers sync.WaitGroup
	for caller := 0; caller < 16; caller++ {
		callers.Add(1)
		go func(text string) {
			defer callers.Done()
			for i := 0; i < 100; i++ {
				answer, err := agent.Call(ctx, "longshore.echo.v1.Echo/Say", []byte(text))
				if err != nil || string(answer) != text {
					t.Errorf("%q answers %q: %v", text, answer, err)
					return
				}
				if i%20 == 0 {
					runtime.GC() // what C has been given must not go
				}
			}
		}(fmt.Sprintf("\n\002%02d", caller))
	}
	callers.Wait()
}

func TestCallsEndWithTheirContext(t *testing.T) {
	agent := open(t, "[modules.echo]", longshore.Options{})
	parent, cancel := context.WithCancel(withTime(t))
	cancelled := watch(parent)
	go func() {
		<-cancelled.isWaitedFor
		cancel()
	}()
	if _, err := agent.Call(cancelled, "longshore.echo.v1.Echo/Wait", []byte(aMinute)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := agent.Call(cancelled, "longshore.echo.v1.Echo/Say", nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	short, end := context.WithTimeout(withTime(t), 10*time.Millisecond)
	defer end()
	if _, err := agent.Call(short, "longshore.echo.v1.Echo/Wait", []byte(aMinute)); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestWhatTheAgentRefusesIsAnErrorWithItsCode(t *testing.T) {
	agent := open(t, "[modules.echo]", longshore.Options{})
	_, err := agent.Call(withTime(t), "longshore.echo.v1.Echo/Shout", nil)
	expectCode(t, 12, err)
	_, err = agent.Call(withTime(t), "longshore.echo.v1.Echo/Say\x00y", nil)
	expectCode(t, 3, err)
	_, err = agent.Call(withTime(t), "longshore.echo.v1.Echo/Say", []byte("\x0a\x7f"))
	expectCode(t, 3, err)
}

func TestFaultyOptionsAreRefused(t *testing.T) {
	for wanted, options := range map[string]longshore.Options{
		"no_such_key": {Text: "[agent]\nno_such_key = 1\n"},
		"none.toml":   {File: filepath.Join(t.TempDir(), "none.toml")},
		"both set":    {File: "a", Text: "[agent]"},
		"zero byte":   {ModuleDirs: []string{"a", "b\x00"}},
	} {
		agent, err := longshore.Open(options)
		if agent != nil {
			agent.Close()
		}
		if err == nil || !strings.Contains(err.Error(), wanted) {
			t.Errorf("%q is not in %v", wanted, err)
		}
	}
}

func TestCloseEndsWhatRuns(t *testing.T) {
	agent := open(t, "stop_timeout = '1s'\n[modules.echo]", longshore.Options{})
	ctx := watch(withTime(t))
	ended := make(chan error, 1)
	go func() {
		_, err := agent.Call(ctx, "longshore.echo.v1.Echo/WaitAsync", []byte(aMinute))
		ended <- err
	}()
	<-ctx.isWaitedFor
	if err := agent.Close(); err != nil {
		t.Error(err)
	}
	expectCode(t, 14, <-ended)
	if err := agent.Close(); err != nil { // once more is nothing
		t.Error(err)
	}
	_, err := agent.Call(withTime(t), "longshore.echo.v1.Echo/Say", nil)
	expectCode(t, 9, err)
}

func TestCloseHoldsUpNoOtherCall(t *testing.T) {
	// Close takes as long as the test wants it to.
	release := make(chan struct{})
	var once sync.Once
	letGo := func() { once.Do(func() { close(release) }) }
	isClosing := make(chan struct{}, 1)
	agent := open(t, "[modules.echo]", longshore.Options{Log: func(_ longshore.Level, line string) {
		if strings.Contains(line, "is draining") {
			isClosing <- struct{}{}
			<-release
		}
	}})
	defer letGo()
	defer time.AfterFunc(time.Minute, letGo).Stop() // a test that fails must not wait for ever

	parent, cancel := context.WithCancel(withTime(t))
	ctx := watch(parent)
	ended := make(chan error, 1)
	go func() {
		_, err := agent.Call(ctx, "longshore.echo.v1.Echo/WaitAsync", []byte(aMinute))
		ended <- err
	}()
	<-ctx.isWaitedFor
	closed := make(chan error, 1)
	go func() { closed <- agent.Close() }()
	<-isClosing
	_, err := agent.Call(withTime(t), "longshore.echo.v1.Echo/Say", nil)
	expectCode(t, 9, err)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	select {
	case err := <-closed:
		t.Fatalf("the agent was closed by then: %v", err)
	default:
	}
	letGo()
	if err := <-closed; err != nil {
		t.Error(err)
	}
}
