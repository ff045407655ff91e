package system

// ServiceStatus is what a service does, by Windows' numbers.
type ServiceStatus uint32

// The states of services.
const (
	SERVICE_STATUS_UNKNOWN          ServiceStatus = 0
	SERVICE_STATUS_STOPPED          ServiceStatus = 1
	SERVICE_STATUS_START_PENDING    ServiceStatus = 2
	SERVICE_STATUS_STOP_PENDING     ServiceStatus = 3
	SERVICE_STATUS_RUNNING          ServiceStatus = 4
	SERVICE_STATUS_CONTINUE_PENDING ServiceStatus = 5
	SERVICE_STATUS_PAUSE_PENDING    ServiceStatus = 6
	SERVICE_STATUS_PAUSED           ServiceStatus = 7
)

// StartType is what makes a service start, by Windows' numbers.
type StartType uint32

// The ways in which services start.
const (
	START_TYPE_BOOT      StartType = 0
	START_TYPE_SYSTEM    StartType = 1
	START_TYPE_AUTOMATIC StartType = 2
	START_TYPE_MANUAL    StartType = 3
	START_TYPE_DISABLED  StartType = 4
)

// GetBIOSSerialNumberRequest is what GetBIOSSerialNumber is asked.
type GetBIOSSerialNumberRequest struct{}

// GetBIOSSerialNumberResponse is what GetBIOSSerialNumber answers.
type GetBIOSSerialNumberResponse struct {
	SerialNumber string `wire:"1"`
}

// GetServiceRequest is what GetService is asked.
type GetServiceRequest struct {
	Name string `wire:"1"`
}

// GetServiceResponse is what GetService answers.
type GetServiceResponse struct {
	DisplayName string        `wire:"1"`
	StartType   StartType     `wire:"2"`
	Status      ServiceStatus `wire:"3"`
}

// StartServiceRequest is what StartService is asked.
type StartServiceRequest struct {
	Name string `wire:"1"`
}

// StartServiceResponse is what StartService answers.
type StartServiceResponse struct{}

// StopServiceRequest is what StopService is asked.
type StopServiceRequest struct {
	Name  string `wire:"1"`
	Force bool   `wire:"2"`
}

// StopServiceResponse is what StopService answers.
type StopServiceResponse struct{}
