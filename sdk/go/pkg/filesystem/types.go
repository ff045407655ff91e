package filesystem

// CreateSymlinkRequest is what CreateSymlink is asked.
type CreateSymlinkRequest struct {
	SourcePath string `wire:"1"`
	TargetPath string `wire:"2"`
}

// CreateSymlinkResponse is what CreateSymlink answers.
type CreateSymlinkResponse struct{}

// IsSymlinkRequest is what IsSymlink is asked.
type IsSymlinkRequest struct {
	Path string `wire:"1"`
}

// IsSymlinkResponse is what IsSymlink answers.
type IsSymlinkResponse struct {
	IsSymlink bool `wire:"1"`
}

// MkdirRequest is what Mkdir is asked.
type MkdirRequest struct {
	Path string `wire:"1"`
}

// MkdirResponse is what Mkdir answers.
type MkdirResponse struct{}

// PathExistsRequest is what PathExists is asked.
type PathExistsRequest struct {
	Path string `wire:"1"`
}

// PathExistsResponse is what PathExists answers.
type PathExistsResponse struct {
	Exists bool `wire:"1"`
}

// PathValidRequest is what PathValid is asked.
type PathValidRequest struct {
	Path string
}

// PathValidResponse is what PathValid answers.
type PathValidResponse struct {
	Valid bool
}

// RmdirRequest is what Rmdir is asked.
type RmdirRequest struct {
	Path  string `wire:"1"`
	Force bool   `wire:"2"`
}

// RmdirResponse is what Rmdir answers.
type RmdirResponse struct{}

// RmdirContentsRequest is what RmdirContents is asked.
type RmdirContentsRequest struct {
	Path string `wire:"1"`
}

// RmdirContentsResponse is what RmdirContents answers.
type RmdirContentsResponse struct{}
