// Package iscsi has the node's iSCSI initiator,
// in the shape of csi-proxy's library for Go. What each method means, and its errors, stand in the
// service v1alpha2.Iscsi of iscsi/v1alpha2.proto.
package iscsi

import (
	"context"

	"example.com/longshore/internal/unary"
)

// Interface is what ISCSI has.
type Interface interface {
	// AddTargetPortal makes a portal known.
	AddTargetPortal(context.Context, *AddTargetPortalRequest) (*AddTargetPortalResponse, error)
	// ConnectTarget connects to a target through a known portal.
	ConnectTarget(context.Context, *ConnectTargetRequest) (*ConnectTargetResponse, error)
	// DisconnectTarget ends the connections to a target through a portal.
	DisconnectTarget(context.Context, *DisconnectTargetRequest) (*DisconnectTargetResponse, error)
	// DiscoverTargetPortal tells the targets of a known portal.
	DiscoverTargetPortal(context.Context, *DiscoverTargetPortalRequest) (*DiscoverTargetPortalResponse, error)
	// GetTargetDisks tells the numbers of the disks that came with a connection.
	GetTargetDisks(context.Context, *GetTargetDisksRequest) (*GetTargetDisksResponse, error)
	// ListTargetPortals tells the known portals.
	ListTargetPortals(context.Context, *ListTargetPortalsRequest) (*ListTargetPortalsResponse, error)
	// RemoveTargetPortal forgets a portal.
	RemoveTargetPortal(context.Context, *RemoveTargetPortalRequest) (*RemoveTargetPortalResponse, error)
	// SetMutualChapSecret sets the secret by which targets prove themselves to this node.
	SetMutualChapSecret(context.Context, *SetMutualChapSecretRequest) (*SetMutualChapSecretResponse, error)
}

// ISCSI calls v1alpha2.Iscsi of an agent.
type ISCSI struct {
	agent unary.Caller
}

var _ Interface = (*ISCSI)(nil)

// New makes the group of an agent, a *longshore.Agent. It never fails; csi-proxy's has an error, too.
func New(agent unary.Caller) (*ISCSI, error) { return &ISCSI{agent}, nil }

// AddTargetPortal is that of Interface.
func (i *ISCSI) AddTargetPortal(ctx context.Context, request *AddTargetPortalRequest) (*AddTargetPortalResponse, error) {
	return unary.Call[AddTargetPortalResponse](ctx, i.agent, "v1alpha2.Iscsi/AddTargetPortal", request)
}

// ConnectTarget is that of Interface.
func (i *ISCSI) ConnectTarget(ctx context.Context, request *ConnectTargetRequest) (*ConnectTargetResponse, error) {
	return unary.Call[ConnectTargetResponse](ctx, i.agent, "v1alpha2.Iscsi/ConnectTarget", request)
}

// DisconnectTarget is that of Interface.
func (i *ISCSI) DisconnectTarget(ctx context.Context, request *DisconnectTargetRequest) (*DisconnectTargetResponse, error) {
	return unary.Call[DisconnectTargetResponse](ctx, i.agent, "v1alpha2.Iscsi/DisconnectTarget", request)
}

// DiscoverTargetPortal is that of Interface.
func (i *ISCSI) DiscoverTargetPortal(ctx context.Context, request *DiscoverTargetPortalRequest) (*DiscoverTargetPortalResponse, error) {
	return unary.Call[DiscoverTargetPortalResponse](ctx, i.agent, "v1alpha2.Iscsi/DiscoverTargetPortal", request)
}

// GetTargetDisks is that of Interface.
func (i *ISCSI) GetTargetDisks(ctx context.Context, request *GetTargetDisksRequest) (*GetTargetDisksResponse, error) {
	return unary.Call[GetTargetDisksResponse](ctx, i.agent, "v1alpha2.Iscsi/GetTargetDisks", request)
}

// ListTargetPortals is that of Interface.
func (i *ISCSI) ListTargetPortals(ctx context.Context, request *ListTargetPortalsRequest) (*ListTargetPortalsResponse, error) {
	return unary.Call[ListTargetPortalsResponse](ctx, i.agent, "v1alpha2.Iscsi/ListTargetPortals", request)
}

// RemoveTargetPortal is that of Interface.
func (i *ISCSI) RemoveTargetPortal(ctx context.Context, request *RemoveTargetPortalRequest) (*RemoveTargetPortalResponse, error) {
	return unary.Call[RemoveTargetPortalResponse](ctx, i.agent, "v1alpha2.Iscsi/RemoveTargetPortal", request)
}

// SetMutualChapSecret is that of Interface.
func (i *ISCSI) SetMutualChapSecret(ctx context.Context, request *SetMutualChapSecretRequest) (*SetMutualChapSecretResponse, error) {
	return unary.Call[SetMutualChapSecretResponse](ctx, i.agent, "v1alpha2.Iscsi/SetMutualChapSecret", request)
}
