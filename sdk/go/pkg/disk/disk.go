// Package disk has the node's disks, by their numbers,
// in the shape of csi-proxy's library for Go. What each method means, and its errors, stand in the
// service v1.Disk of disk/v1.proto.
package disk

import (
	"context"

	"example.com/longshore/internal/unary"
)

// Interface is what Disk has.
type Interface interface {
	// GetDiskState tells whether a disk is online.
	GetDiskState(context.Context, *GetDiskStateRequest) (*GetDiskStateResponse, error)
	// GetDiskStats tells how large a disk is.
	GetDiskStats(context.Context, *GetDiskStatsRequest) (*GetDiskStatsResponse, error)
	// ListDiskIDs tells what each disk calls itself.
	ListDiskIDs(context.Context, *ListDiskIDsRequest) (*ListDiskIDsResponse, error)
	// ListDiskLocations tells where each disk is plugged in.
	ListDiskLocations(context.Context, *ListDiskLocationsRequest) (*ListDiskLocationsResponse, error)
	// PartitionDisk gives a blank disk a partition table with one partition. A disk that has one
	// already is left as it is.
	PartitionDisk(context.Context, *PartitionDiskRequest) (*PartitionDiskResponse, error)
	// Rescan looks for disks that came or went and for sizes that changed.
	Rescan(context.Context, *RescanRequest) (*RescanResponse, error)
	// SetDiskState takes a disk online or offline.
	SetDiskState(context.Context, *SetDiskStateRequest) (*SetDiskStateResponse, error)
}

// Disk calls v1.Disk of an agent.
type Disk struct {
	agent unary.Caller
}

var _ Interface = (*Disk)(nil)

// New makes the group of an agent, a *longshore.Agent. It never fails; csi-proxy's has an error, too.
func New(agent unary.Caller) (*Disk, error) { return &Disk{agent}, nil }

// GetDiskState is that of Interface.
func (d *Disk) GetDiskState(ctx context.Context, request *GetDiskStateRequest) (*GetDiskStateResponse, error) {
	return unary.Call[GetDiskStateResponse](ctx, d.agent, "v1.Disk/GetDiskState", request)
}

// GetDiskStats is that of Interface.
func (d *Disk) GetDiskStats(ctx context.Context, request *GetDiskStatsRequest) (*GetDiskStatsResponse, error) {
	return unary.Call[GetDiskStatsResponse](ctx, d.agent, "v1.Disk/GetDiskStats", request)
}

// ListDiskIDs is that of Interface.
func (d *Disk) ListDiskIDs(ctx context.Context, request *ListDiskIDsRequest) (*ListDiskIDsResponse, error) {
	return unary.Call[ListDiskIDsResponse](ctx, d.agent, "v1.Disk/ListDiskIDs", request)
}

// ListDiskLocations is that of Interface.
func (d *Disk) ListDiskLocations(ctx context.Context, request *ListDiskLocationsRequest) (*ListDiskLocationsResponse, error) {
	return unary.Call[ListDiskLocationsResponse](ctx, d.agent, "v1.Disk/ListDiskLocations", request)
}

// PartitionDisk is that of Interface.
func (d *Disk) PartitionDisk(ctx context.Context, request *PartitionDiskRequest) (*PartitionDiskResponse, error) {
	return unary.Call[PartitionDiskResponse](ctx, d.agent, "v1.Disk/PartitionDisk", request)
}

// Rescan is that of Interface.
func (d *Disk) Rescan(ctx context.Context, request *RescanRequest) (*RescanResponse, error) {
	return unary.Call[RescanResponse](ctx, d.agent, "v1.Disk/Rescan", request)
}

// SetDiskState is that of Interface.
func (d *Disk) SetDiskState(ctx context.Context, request *SetDiskStateRequest) (*SetDiskStateResponse, error) {
	return unary.Call[SetDiskStateResponse](ctx, d.agent, "v1.Disk/SetDiskState", request)
}
