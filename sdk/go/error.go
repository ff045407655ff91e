package longshore

import (
	"context"
	"fmt"
)

// Those of gRPC's status codes that mean something here.
const (
	codeCancelled          = 1
	codeInvalidArgument    = 3
	codeDeadlineExceeded   = 4
	codeFailedPrecondition = 9
)

// Error is how a call failed: gRPC's status code by number, and a sentence that says what was
// tried, on what, what the system answered and what to do.
type Error struct {
	Code int
	Text string
}

func (e *Error) Error() string { return fmt.Sprintf("status %d: %s", e.Code, e.Text) }

// Is makes CANCELLED and DEADLINE_EXCEEDED the errors of the package context, for errors.Is.
func (e *Error) Is(target error) bool {
	return e.Code == codeCancelled && target == context.Canceled ||
		e.Code == codeDeadlineExceeded && target == context.DeadlineExceeded
}
