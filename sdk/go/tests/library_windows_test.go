package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/longshore"
)

func TestTheLibraryIsSoughtNowhereElse(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	beside := filepath.Join(filepath.Dir(program), "liblongshore.dll")
	agent, err := longshore.Open(longshore.Options{Library: beside})
	if err != nil {
		t.Fatal(err)
	}
	agent.Close()
	for wanted, library := range map[string]string{
		"absolute path": "liblongshore.dll",
		"none.dll":      filepath.Join(t.TempDir(), "none.dll"),
		"longshore_":    filepath.Join(os.Getenv("SystemRoot"), "System32", "kernel32.dll"),
		"zero byte":     beside + "\x00",
	} {
		agent, err := longshore.Open(longshore.Options{Library: library})
		if agent != nil {
			agent.Close()
		}
		if err == nil || !strings.Contains(err.Error(), wanted) {
			t.Errorf("%q is not in %v", wanted, err)
		}
	}
}
