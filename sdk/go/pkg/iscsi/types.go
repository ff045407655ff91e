package iscsi

// AuthenticationType says who proves to whom that it knows a secret.
type AuthenticationType uint32

// Nobody; this node to the target; each to the other, see SetMutualChapSecret. Without a type, as
// csi-proxy has them.
const (
	NONE         = 0
	ONE_WAY_CHAP = 1
	MUTUAL_CHAP  = 2
)

// TargetPortal is where targets are offered.
type TargetPortal struct {
	TargetAddress string `wire:"1"`
	// 0 is iSCSI's own, 3260.
	TargetPort uint32 `wire:"2"`
}

// AddTargetPortalRequest is what AddTargetPortal is asked.
type AddTargetPortalRequest struct {
	TargetPortal *TargetPortal `wire:"1"`
}

// AddTargetPortalResponse is what AddTargetPortal answers.
type AddTargetPortalResponse struct{}

// ConnectTargetRequest is what ConnectTarget is asked.
type ConnectTargetRequest struct {
	TargetPortal *TargetPortal      `wire:"1"`
	IQN          string             `wire:"2"`
	AuthType     AuthenticationType `wire:"3"`
	ChapUsername string             `wire:"4"`
	ChapSecret   string             `wire:"5"`
}

// ConnectTargetResponse is what ConnectTarget answers.
type ConnectTargetResponse struct{}

// DisconnectTargetRequest is what DisconnectTarget is asked.
type DisconnectTargetRequest struct {
	TargetPortal *TargetPortal `wire:"1"`
	IQN          string        `wire:"2"`
}

// DisconnectTargetResponse is what DisconnectTarget answers.
type DisconnectTargetResponse struct{}

// DiscoverTargetPortalRequest is what DiscoverTargetPortal is asked.
type DiscoverTargetPortalRequest struct {
	TargetPortal *TargetPortal `wire:"1"`
}

// DiscoverTargetPortalResponse is what DiscoverTargetPortal answers.
type DiscoverTargetPortalResponse struct {
	IQNs []string `wire:"1"`
}

// GetTargetDisksRequest is what GetTargetDisks is asked.
type GetTargetDisksRequest struct {
	TargetPortal *TargetPortal `wire:"1"`
	IQN          string        `wire:"2"`
}

// GetTargetDisksResponse is what GetTargetDisks answers.
type GetTargetDisksResponse struct {
	DiskIDs []string `wire:"1"`
}

// ListTargetPortalsRequest is what ListTargetPortals is asked.
type ListTargetPortalsRequest struct{}

// ListTargetPortalsResponse is what ListTargetPortals answers.
type ListTargetPortalsResponse struct {
	TargetPortals []*TargetPortal `wire:"1"`
}

// RemoveTargetPortalRequest is what RemoveTargetPortal is asked.
type RemoveTargetPortalRequest struct {
	TargetPortal *TargetPortal `wire:"1"`
}

// RemoveTargetPortalResponse is what RemoveTargetPortal answers.
type RemoveTargetPortalResponse struct{}

// SetMutualChapSecretRequest is what SetMutualChapSecret is asked.
type SetMutualChapSecretRequest struct {
	MutualChapSecret string `wire:"1"`
}

// SetMutualChapSecretResponse is what SetMutualChapSecret answers.
type SetMutualChapSecretResponse struct{}
