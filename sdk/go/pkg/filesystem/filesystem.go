// Package filesystem has files, directories and links below the roots that the configuration allows,
// in the shape of csi-proxy's library for Go. What each method means, and its errors, stand in the
// service v2alpha1.Filesystem of filesystem/v2alpha1.proto.
package filesystem

import (
	"context"
	"errors"

	"example.com/longshore/internal/unary"
)

// Interface is what Filesystem has.
type Interface interface {
	// CreateSymlink makes the link TargetPath, which leads to SourcePath.
	CreateSymlink(context.Context, *CreateSymlinkRequest) (*CreateSymlinkResponse, error)
	// IsSymlink tells whether a path is a link to something that exists, or a mount point.
	IsSymlink(context.Context, *IsSymlinkRequest) (*IsSymlinkResponse, error)
	// Mkdir makes a directory and those above it that are missing. One that is there is success.
	Mkdir(context.Context, *MkdirRequest) (*MkdirResponse, error)
	// PathExists tells whether something has the path.
	PathExists(context.Context, *PathExistsRequest) (*PathExistsResponse, error)
	// PathValid tells whether something has the path, as PathExists does.
	PathValid(context.Context, *PathValidRequest) (*PathValidResponse, error)
	// Rmdir removes a directory, a file or a link, never what it leads to. With Force: and all
	// that is in a directory.
	Rmdir(context.Context, *RmdirRequest) (*RmdirResponse, error)
	// RmdirContents removes what is in a directory and keeps the directory.
	RmdirContents(context.Context, *RmdirContentsRequest) (*RmdirContentsResponse, error)
}

// Filesystem calls v2alpha1.Filesystem of an agent.
type Filesystem struct {
	agent unary.Caller
}

var _ Interface = (*Filesystem)(nil)

// New makes the group of an agent, a *longshore.Agent. It never fails; csi-proxy's has an error, too.
func New(agent unary.Caller) (*Filesystem, error) { return &Filesystem{agent}, nil }

// CreateSymlink is that of Interface.
func (f *Filesystem) CreateSymlink(ctx context.Context, request *CreateSymlinkRequest) (*CreateSymlinkResponse, error) {
	return unary.Call[CreateSymlinkResponse](ctx, f.agent, "v2alpha1.Filesystem/CreateSymlink", request)
}

// IsSymlink is that of Interface.
func (f *Filesystem) IsSymlink(ctx context.Context, request *IsSymlinkRequest) (*IsSymlinkResponse, error) {
	return unary.Call[IsSymlinkResponse](ctx, f.agent, "v2alpha1.Filesystem/IsSymlink", request)
}

// Mkdir is that of Interface.
func (f *Filesystem) Mkdir(ctx context.Context, request *MkdirRequest) (*MkdirResponse, error) {
	return unary.Call[MkdirResponse](ctx, f.agent, "v2alpha1.Filesystem/Mkdir", request)
}

// PathExists is that of Interface.
func (f *Filesystem) PathExists(ctx context.Context, request *PathExistsRequest) (*PathExistsResponse, error) {
	return unary.Call[PathExistsResponse](ctx, f.agent, "v2alpha1.Filesystem/PathExists", request)
}

// PathValid is that of Interface.
func (f *Filesystem) PathValid(ctx context.Context, request *PathValidRequest) (*PathValidResponse, error) {
	if request == nil {
		return nil, errors.New("the request to PathValid is nil")
	}
	response, err := f.PathExists(ctx, &PathExistsRequest{Path: request.Path})
	if err != nil {
		return nil, err
	}
	return &PathValidResponse{Valid: response.Exists}, nil
}

// Rmdir is that of Interface.
func (f *Filesystem) Rmdir(ctx context.Context, request *RmdirRequest) (*RmdirResponse, error) {
	return unary.Call[RmdirResponse](ctx, f.agent, "v2alpha1.Filesystem/Rmdir", request)
}

// RmdirContents is that of Interface.
func (f *Filesystem) RmdirContents(ctx context.Context, request *RmdirContentsRequest) (*RmdirContentsResponse, error) {
	return unary.Call[RmdirContentsResponse](ctx, f.agent, "v2alpha1.Filesystem/RmdirContents", request)
}
