// Package unary makes the calls of the groups: messages as Go has them, to an agent that takes bytes.
package unary

import (
	"context"
	"fmt"

	"example.com/longshore/internal/wire"
)

// Caller is an agent: *longshore.Agent.
type Caller interface {
	// Call calls a method ("v1.Filesystem/PathExists") with a message's bytes.
	Call(ctx context.Context, method string, request []byte) ([]byte, error)
}

// Call calls a method with a request, a pointer to a struct as package wire has them.
func Call[Response any](ctx context.Context, agent Caller, method string, request any) (*Response, error) {
	bytes, err := wire.Encode(request)
	if err != nil {
		return nil, fmt.Errorf("the request to %s: %w", method, err)
	}
	if bytes, err = agent.Call(ctx, method, bytes); err != nil {
		return nil, err
	}
	response := new(Response)
	if err := wire.Decode(bytes, response); err != nil {
		return nil, fmt.Errorf("the response of %s: %w", method, err)
	}
	return response, nil
}
