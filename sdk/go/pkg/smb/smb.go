// Package smb has the shares that are mapped on the node,
// in the shape of csi-proxy's library for Go. What each method means, and its errors, stand in the
// service v1.Smb of smb/v1.proto.
package smb

import (
	"context"

	"example.com/longshore/internal/unary"
)

// Interface is what SMB has.
type Interface interface {
	// NewSMBGlobalMapping maps a share and makes LocalPath a link to it. LocalPath "": no link.
	NewSMBGlobalMapping(context.Context, *NewSMBGlobalMappingRequest) (*NewSMBGlobalMappingResponse, error)
	// RemoveSMBGlobalMapping ends the use of a share.
	RemoveSMBGlobalMapping(context.Context, *RemoveSMBGlobalMappingRequest) (*RemoveSMBGlobalMappingResponse, error)
}

// SMB calls v1.Smb of an agent.
type SMB struct {
	agent unary.Caller
}

var _ Interface = (*SMB)(nil)

// New makes the group of an agent, a *longshore.Agent. It never fails; csi-proxy's has an error, too.
func New(agent unary.Caller) (*SMB, error) { return &SMB{agent}, nil }

// NewSMBGlobalMapping is that of Interface.
func (s *SMB) NewSMBGlobalMapping(ctx context.Context, request *NewSMBGlobalMappingRequest) (*NewSMBGlobalMappingResponse, error) {
	return unary.Call[NewSMBGlobalMappingResponse](ctx, s.agent, "v1.Smb/NewSmbGlobalMapping", request)
}

// RemoveSMBGlobalMapping is that of Interface.
func (s *SMB) RemoveSMBGlobalMapping(ctx context.Context, request *RemoveSMBGlobalMappingRequest) (*RemoveSMBGlobalMappingResponse, error) {
	return unary.Call[RemoveSMBGlobalMappingResponse](ctx, s.agent, "v1.Smb/RemoveSmbGlobalMapping", request)
}
