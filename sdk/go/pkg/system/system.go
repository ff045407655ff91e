// Package system has the node's serial number and its services,
// in the shape of csi-proxy's library for Go. What each method means, and its errors, stand in the
// service v1alpha1.System of system/v1alpha1.proto.
package system

import (
	"context"

	"example.com/longshore/internal/unary"
)

// Interface is what System has.
type Interface interface {
	// GetBIOSSerialNumber tells the machine's serial number.
	GetBIOSSerialNumber(context.Context, *GetBIOSSerialNumberRequest) (*GetBIOSSerialNumberResponse, error)
	// GetService tells what a service is called, how it is started and what it does.
	GetService(context.Context, *GetServiceRequest) (*GetServiceResponse, error)
	// StartService starts a service and waits until it runs.
	StartService(context.Context, *StartServiceRequest) (*StartServiceResponse, error)
	// StopService stops a service and waits until it has stopped. With Force: and those that need
	// it.
	StopService(context.Context, *StopServiceRequest) (*StopServiceResponse, error)
}

// System calls v1alpha1.System of an agent.
type System struct {
	agent unary.Caller
}

var _ Interface = (*System)(nil)

// New makes the group of an agent, a *longshore.Agent. It never fails; csi-proxy's has an error, too.
func New(agent unary.Caller) (*System, error) { return &System{agent}, nil }

// GetBIOSSerialNumber is that of Interface.
func (s *System) GetBIOSSerialNumber(ctx context.Context, request *GetBIOSSerialNumberRequest) (*GetBIOSSerialNumberResponse, error) {
	return unary.Call[GetBIOSSerialNumberResponse](ctx, s.agent, "v1alpha1.System/GetBIOSSerialNumber", request)
}

// GetService is that of Interface.
func (s *System) GetService(ctx context.Context, request *GetServiceRequest) (*GetServiceResponse, error) {
	return unary.Call[GetServiceResponse](ctx, s.agent, "v1alpha1.System/GetService", request)
}

// StartService is that of Interface.
func (s *System) StartService(ctx context.Context, request *StartServiceRequest) (*StartServiceResponse, error) {
	return unary.Call[StartServiceResponse](ctx, s.agent, "v1alpha1.System/StartService", request)
}

// StopService is that of Interface.
func (s *System) StopService(ctx context.Context, request *StopServiceRequest) (*StopServiceResponse, error) {
	return unary.Call[StopServiceResponse](ctx, s.agent, "v1alpha1.System/StopService", request)
}
