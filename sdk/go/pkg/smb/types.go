package smb

// NewSMBGlobalMappingRequest is what NewSMBGlobalMapping is asked.
type NewSMBGlobalMappingRequest struct {
	RemotePath string `wire:"1"`
	LocalPath  string `wire:"2"`
	Username   string `wire:"3"`
	Password   string `wire:"4"`
}

// NewSMBGlobalMappingResponse is what NewSMBGlobalMapping answers.
type NewSMBGlobalMappingResponse struct{}

// RemoveSMBGlobalMappingRequest is what RemoveSMBGlobalMapping is asked.
type RemoveSMBGlobalMappingRequest struct {
	RemotePath string `wire:"1"`
}

// RemoveSMBGlobalMappingResponse is what RemoveSMBGlobalMapping answers.
type RemoveSMBGlobalMappingResponse struct{}
