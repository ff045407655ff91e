// Package filesystem is the group of that name in the shape that csi-proxy's library for Go has:
// New, a request, a response. The two messages here are written by hand, so that the example needs
// no other module; a driver takes those that protoc-gen-go makes of filesystem/v1.proto.
package filesystem

import (
	"context"
	"encoding/binary"
	"errors"

	"example.com/longshore/longshore"
)

// PathExistsRequest asks about a path.
type PathExistsRequest struct {
	Path string
}

// PathExistsResponse tells whether something has it.
type PathExistsResponse struct {
	Exists bool
}

// Filesystem calls v1.Filesystem of an agent.
type Filesystem struct {
	agent *longshore.Agent
}

// New makes the group's client.
func New(agent *longshore.Agent) *Filesystem { return &Filesystem{agent} }

// PathExists tells whether something has the path.
func (f *Filesystem) PathExists(ctx context.Context, request *PathExistsRequest) (*PathExistsResponse, error) {
	const path = 1<<3 | 2 // field 1, with a length
	bytes := binary.AppendUvarint([]byte{path}, uint64(len(request.Path)))
	bytes, err := f.agent.Call(ctx, "v1.Filesystem/PathExists", append(bytes, request.Path...))
	if err != nil {
		return nil, err
	}
	const exists = 1 << 3 // field 1, a number; left out when it is zero
	switch {
	case len(bytes) == 0:
		return &PathExistsResponse{}, nil
	case len(bytes) == 2 && bytes[0] == exists:
		return &PathExistsResponse{Exists: bytes[1] != 0}, nil
	default:
		return nil, errors.New("the answer is no PathExistsResponse")
	}
}
