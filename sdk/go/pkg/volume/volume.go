// Package volume has the volumes on the node's disks, by their ids,
// in the shape of csi-proxy's library for Go. What each method means, and its errors, stand in the
// service v2alpha1.Volume of volume/v2alpha1.proto.
package volume

import (
	"context"

	"example.com/longshore/internal/unary"
)

// Interface is what Volume has.
type Interface interface {
	// FormatVolume makes a filesystem on a volume that has none.
	FormatVolume(context.Context, *FormatVolumeRequest) (*FormatVolumeResponse, error)
	// GetClosestVolumeIDFromTargetPath tells on which volume a path lies.
	GetClosestVolumeIDFromTargetPath(context.Context, *GetClosestVolumeIDFromTargetPathRequest) (*GetClosestVolumeIDFromTargetPathResponse, error)
	// GetDiskNumberFromVolumeID tells on which disk a volume is.
	GetDiskNumberFromVolumeID(context.Context, *GetDiskNumberFromVolumeIDRequest) (*GetDiskNumberFromVolumeIDResponse, error)
	// GetVolumeIDFromTargetPath tells which volume is mounted at a path.
	GetVolumeIDFromTargetPath(context.Context, *GetVolumeIDFromTargetPathRequest) (*GetVolumeIDFromTargetPathResponse, error)
	// GetVolumeStats tells how large a volume is, and how much of it is used.
	GetVolumeStats(context.Context, *GetVolumeStatsRequest) (*GetVolumeStatsResponse, error)
	// IsVolumeFormatted tells whether a volume has a filesystem.
	IsVolumeFormatted(context.Context, *IsVolumeFormattedRequest) (*IsVolumeFormattedResponse, error)
	// ListVolumesOnDisk tells the volumes of a disk. PartitionNumber 0: of all its partitions.
	ListVolumesOnDisk(context.Context, *ListVolumesOnDiskRequest) (*ListVolumesOnDiskResponse, error)
	// MountVolume mounts a volume at a directory.
	MountVolume(context.Context, *MountVolumeRequest) (*MountVolumeResponse, error)
	// ResizeVolume makes a volume and its filesystem larger. SizeBytes 0: as large as can be.
	ResizeVolume(context.Context, *ResizeVolumeRequest) (*ResizeVolumeResponse, error)
	// UnmountVolume unmounts a volume from a directory.
	UnmountVolume(context.Context, *UnmountVolumeRequest) (*UnmountVolumeResponse, error)
	// WriteVolumeCache writes out what is in memory only.
	WriteVolumeCache(context.Context, *WriteVolumeCacheRequest) (*WriteVolumeCacheResponse, error)
}

// Volume calls v2alpha1.Volume of an agent.
type Volume struct {
	agent unary.Caller
}

var _ Interface = (*Volume)(nil)

// New makes the group of an agent, a *longshore.Agent. It never fails; csi-proxy's has an error, too.
func New(agent unary.Caller) (*Volume, error) { return &Volume{agent}, nil }

// FormatVolume is that of Interface.
func (v *Volume) FormatVolume(ctx context.Context, request *FormatVolumeRequest) (*FormatVolumeResponse, error) {
	return unary.Call[FormatVolumeResponse](ctx, v.agent, "v2alpha1.Volume/FormatVolume", request)
}

// GetClosestVolumeIDFromTargetPath is that of Interface.
func (v *Volume) GetClosestVolumeIDFromTargetPath(ctx context.Context, request *GetClosestVolumeIDFromTargetPathRequest) (*GetClosestVolumeIDFromTargetPathResponse, error) {
	return unary.Call[GetClosestVolumeIDFromTargetPathResponse](ctx, v.agent, "v2alpha1.Volume/GetClosestVolumeIDFromTargetPath", request)
}

// GetDiskNumberFromVolumeID is that of Interface.
func (v *Volume) GetDiskNumberFromVolumeID(ctx context.Context, request *GetDiskNumberFromVolumeIDRequest) (*GetDiskNumberFromVolumeIDResponse, error) {
	return unary.Call[GetDiskNumberFromVolumeIDResponse](ctx, v.agent, "v2alpha1.Volume/GetDiskNumberFromVolumeID", request)
}

// GetVolumeIDFromTargetPath is that of Interface.
func (v *Volume) GetVolumeIDFromTargetPath(ctx context.Context, request *GetVolumeIDFromTargetPathRequest) (*GetVolumeIDFromTargetPathResponse, error) {
	return unary.Call[GetVolumeIDFromTargetPathResponse](ctx, v.agent, "v2alpha1.Volume/GetVolumeIDFromTargetPath", request)
}

// GetVolumeStats is that of Interface.
func (v *Volume) GetVolumeStats(ctx context.Context, request *GetVolumeStatsRequest) (*GetVolumeStatsResponse, error) {
	return unary.Call[GetVolumeStatsResponse](ctx, v.agent, "v2alpha1.Volume/GetVolumeStats", request)
}

// IsVolumeFormatted is that of Interface.
func (v *Volume) IsVolumeFormatted(ctx context.Context, request *IsVolumeFormattedRequest) (*IsVolumeFormattedResponse, error) {
	return unary.Call[IsVolumeFormattedResponse](ctx, v.agent, "v2alpha1.Volume/IsVolumeFormatted", request)
}

// ListVolumesOnDisk is that of Interface.
func (v *Volume) ListVolumesOnDisk(ctx context.Context, request *ListVolumesOnDiskRequest) (*ListVolumesOnDiskResponse, error) {
	return unary.Call[ListVolumesOnDiskResponse](ctx, v.agent, "v2alpha1.Volume/ListVolumesOnDisk", request)
}

// MountVolume is that of Interface.
func (v *Volume) MountVolume(ctx context.Context, request *MountVolumeRequest) (*MountVolumeResponse, error) {
	return unary.Call[MountVolumeResponse](ctx, v.agent, "v2alpha1.Volume/MountVolume", request)
}

// ResizeVolume is that of Interface.
func (v *Volume) ResizeVolume(ctx context.Context, request *ResizeVolumeRequest) (*ResizeVolumeResponse, error) {
	return unary.Call[ResizeVolumeResponse](ctx, v.agent, "v2alpha1.Volume/ResizeVolume", request)
}

// UnmountVolume is that of Interface.
func (v *Volume) UnmountVolume(ctx context.Context, request *UnmountVolumeRequest) (*UnmountVolumeResponse, error) {
	return unary.Call[UnmountVolumeResponse](ctx, v.agent, "v2alpha1.Volume/UnmountVolume", request)
}

// WriteVolumeCache is that of Interface.
func (v *Volume) WriteVolumeCache(ctx context.Context, request *WriteVolumeCacheRequest) (*WriteVolumeCacheResponse, error) {
	return unary.Call[WriteVolumeCacheResponse](ctx, v.agent, "v2alpha1.Volume/WriteVolumeCache", request)
}
