package volume

// FormatVolumeRequest is what FormatVolume is asked.
type FormatVolumeRequest struct {
	VolumeID string `wire:"1"`
}

// FormatVolumeResponse is what FormatVolume answers.
type FormatVolumeResponse struct{}

// GetClosestVolumeIDFromTargetPathRequest is what GetClosestVolumeIDFromTargetPath is asked.
type GetClosestVolumeIDFromTargetPathRequest struct {
	TargetPath string `wire:"1"`
}

// GetClosestVolumeIDFromTargetPathResponse is what GetClosestVolumeIDFromTargetPath answers.
type GetClosestVolumeIDFromTargetPathResponse struct {
	VolumeID string `wire:"1"`
}

// GetDiskNumberFromVolumeIDRequest is what GetDiskNumberFromVolumeID is asked.
type GetDiskNumberFromVolumeIDRequest struct {
	VolumeID string `wire:"1"`
}

// GetDiskNumberFromVolumeIDResponse is what GetDiskNumberFromVolumeID answers.
type GetDiskNumberFromVolumeIDResponse struct {
	DiskNumber uint32 `wire:"1"`
}

// GetVolumeIDFromTargetPathRequest is what GetVolumeIDFromTargetPath is asked.
type GetVolumeIDFromTargetPathRequest struct {
	TargetPath string `wire:"1"`
}

// GetVolumeIDFromTargetPathResponse is what GetVolumeIDFromTargetPath answers.
type GetVolumeIDFromTargetPathResponse struct {
	VolumeID string `wire:"1"`
}

// GetVolumeStatsRequest is what GetVolumeStats is asked.
type GetVolumeStatsRequest struct {
	VolumeID string `wire:"1"`
}

// GetVolumeStatsResponse is what GetVolumeStats answers.
type GetVolumeStatsResponse struct {
	TotalBytes int64 `wire:"1"`
	UsedBytes  int64 `wire:"2"`
}

// IsVolumeFormattedRequest is what IsVolumeFormatted is asked.
type IsVolumeFormattedRequest struct {
	VolumeID string `wire:"1"`
}

// IsVolumeFormattedResponse is what IsVolumeFormatted answers.
type IsVolumeFormattedResponse struct {
	Formatted bool `wire:"1"`
}

// ListVolumesOnDiskRequest is what ListVolumesOnDisk is asked.
type ListVolumesOnDiskRequest struct {
	DiskNumber      uint32 `wire:"1"`
	PartitionNumber uint32 `wire:"2"`
}

// ListVolumesOnDiskResponse is what ListVolumesOnDisk answers.
type ListVolumesOnDiskResponse struct {
	VolumeIDs []string `wire:"1"`
}

// MountVolumeRequest is what MountVolume is asked.
type MountVolumeRequest struct {
	VolumeID   string `wire:"1"`
	TargetPath string `wire:"2"`
}

// MountVolumeResponse is what MountVolume answers.
type MountVolumeResponse struct{}

// ResizeVolumeRequest is what ResizeVolume is asked.
type ResizeVolumeRequest struct {
	VolumeID  string `wire:"1"`
	SizeBytes int64  `wire:"2"`
}

// ResizeVolumeResponse is what ResizeVolume answers.
type ResizeVolumeResponse struct{}

// UnmountVolumeRequest is what UnmountVolume is asked.
type UnmountVolumeRequest struct {
	VolumeID   string `wire:"1"`
	TargetPath string `wire:"2"`
}

// UnmountVolumeResponse is what UnmountVolume answers.
type UnmountVolumeResponse struct{}

// WriteVolumeCacheRequest is what WriteVolumeCache is asked.
type WriteVolumeCacheRequest struct {
	VolumeID string `wire:"1"`
}

// WriteVolumeCacheResponse is what WriteVolumeCache answers.
type WriteVolumeCacheResponse struct{}
