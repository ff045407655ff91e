package disk

// DiskLocation is where a disk is plugged in: decimal numbers, empty where the system has none.
type DiskLocation struct {
	Adapter string `wire:"1"`
	Bus     string `wire:"2"`
	Target  string `wire:"3"`
	LUNID   string `wire:"4"`
}

// DiskIDs is what a disk calls itself, letter for letter, empty where it does not.
type DiskIDs struct {
	// The first identifier of the disk itself in SCSI's vital product data page 0x83.
	Page83       string `wire:"1"`
	SerialNumber string `wire:"2"`
}

// GetDiskStateRequest is what GetDiskState is asked.
type GetDiskStateRequest struct {
	DiskNumber uint32 `wire:"1"`
}

// GetDiskStateResponse is what GetDiskState answers.
type GetDiskStateResponse struct {
	IsOnline bool `wire:"1"`
}

// GetDiskStatsRequest is what GetDiskStats is asked.
type GetDiskStatsRequest struct {
	DiskNumber uint32 `wire:"1"`
}

// GetDiskStatsResponse is what GetDiskStats answers.
type GetDiskStatsResponse struct {
	TotalBytes int64 `wire:"1"`
}

// ListDiskIDsRequest is what ListDiskIDs is asked.
type ListDiskIDsRequest struct{}

// ListDiskIDsResponse is what ListDiskIDs answers.
type ListDiskIDsResponse struct {
	DiskIDs map[uint32]*DiskIDs `wire:"1"`
}

// ListDiskLocationsRequest is what ListDiskLocations is asked.
type ListDiskLocationsRequest struct{}

// ListDiskLocationsResponse is what ListDiskLocations answers.
type ListDiskLocationsResponse struct {
	DiskLocations map[uint32]*DiskLocation `wire:"1"`
}

// PartitionDiskRequest is what PartitionDisk is asked.
type PartitionDiskRequest struct {
	DiskNumber uint32 `wire:"1"`
}

// PartitionDiskResponse is what PartitionDisk answers.
type PartitionDiskResponse struct{}

// RescanRequest is what Rescan is asked.
type RescanRequest struct{}

// RescanResponse is what Rescan answers.
type RescanResponse struct{}

// SetDiskStateRequest is what SetDiskState is asked.
type SetDiskStateRequest struct {
	DiskNumber uint32 `wire:"1"`
	IsOnline   bool   `wire:"2"`
}

// SetDiskStateResponse is what SetDiskState answers.
type SetDiskStateResponse struct{}
