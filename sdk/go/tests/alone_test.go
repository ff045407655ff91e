package tests

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"example.com/longshore"
)

const aTick = "\x08\x14" // 20 milliseconds, long enough for all else to fall asleep

// In a program of its own, since the other tests have timers: where a call is all that goes on, Go
// must not take the wait for a deadlock.
func TestACallIsAllThatGoesOn(t *testing.T) {
	const isAlone = "LONGSHORE_TEST_IS_ALONE"
	if os.Getenv(isAlone) == "" {
		program, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		alone := exec.Command(program, "-test.run=^"+t.Name()+"$")
		alone.Env = append(os.Environ(), isAlone+"=1")
		output, err := alone.CombinedOutput()
		if err != nil || !strings.Contains(string(output), "PASS") {
			t.Fatalf("%v\n%s", err, output)
		}
		return
	}
	agent := open(t, "[modules.echo]", longshore.Options{})
	if _, err := agent.Call(context.Background(), "longshore.echo.v1.Echo/Wait", []byte(aTick)); err != nil {
		t.Error(err)
	}
}
