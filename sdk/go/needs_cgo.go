//go:build linux && !cgo

package longshore

// Go itself can load no shared library on Linux: build with CGO_ENABLED=1. The packages below pkg
// do without.
type (
	nativeAgent = needsCgoOnLinux
	nativeReply = needsCgoOnLinux
)
