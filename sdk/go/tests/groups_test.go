package tests

import (
	"runtime"
	"testing"

	"example.com/longshore"
	"example.com/longshore/pkg/disk"
	"example.com/longshore/pkg/iscsi"
	"example.com/longshore/pkg/smb"
	"example.com/longshore/pkg/system"
	"example.com/longshore/pkg/volume"
)

// What the groups do is tested in tests/unit. Here: that a request and its answer arrive.

func TestServicesAreFound(t *testing.T) {
	services, _ := system.New(open(t, "[modules.system]", longshore.Options{}))
	ctx := withTime(t)
	_, err := services.GetService(ctx, &system.GetServiceRequest{Name: ""})
	expectCode(t, 3, err)
	_, err = services.StopService(ctx, &system.StopServiceRequest{Name: "no-service", Force: true})
	expectCode(t, 7, err)
	if runtime.GOOS != "windows" {
		return // there may be no systemd
	}
	service, err := services.GetService(ctx, &system.GetServiceRequest{Name: "RpcSs"})
	if err != nil || service.DisplayName == "" || service.StartType != system.START_TYPE_MANUAL {
		t.Errorf("%+v, %v", service, err)
	}
	_, err = services.GetService(ctx, &system.GetServiceRequest{Name: "no-service"})
	expectCode(t, 5, err)
	// The machine's, if Wine may read it.
	serial, err := services.GetBIOSSerialNumber(ctx, &system.GetBIOSSerialNumberRequest{})
	if code(t, err) != 5 && (err != nil || serial.SerialNumber == "") {
		t.Errorf("%+v, %v", serial, err)
	}
}

func TestDisksVolumesSharesAndPortalsAreAsked(t *testing.T) {
	agent := open(t, "[modules.disk]\n[modules.volume]\n[modules.smb]\n[modules.iscsi]", longshore.Options{})
	ctx := withTime(t)
	disks, _ := disk.New(agent)
	if _, err := disks.ListDiskIDs(ctx, &disk.ListDiskIDsRequest{}); err != nil {
		t.Error(err)
	}
	if runtime.GOOS == "windows" { // Wine has a disk 0
		stats, err := disks.GetDiskStats(ctx, &disk.GetDiskStatsRequest{})
		if err != nil || stats.TotalBytes <= 0 {
			t.Errorf("%+v, %v", stats, err)
		}
	}
	_, err := disks.GetDiskStats(ctx, &disk.GetDiskStatsRequest{DiskNumber: 4000000000})
	expectCode(t, 5, err)
	volumes, _ := volume.New(agent)
	_, err = volumes.FormatVolume(ctx, &volume.FormatVolumeRequest{})
	expectCode(t, 3, err)
	shares, _ := smb.New(agent)
	_, err = shares.NewSMBGlobalMapping(ctx, &smb.NewSMBGlobalMappingRequest{RemotePath: `\\server`})
	expectCode(t, 3, err)
	portals, _ := iscsi.New(agent)
	_, err = portals.ConnectTarget(ctx, &iscsi.ConnectTargetRequest{
		TargetPortal: &iscsi.TargetPortal{TargetAddress: "127.0.0.1"}, IQN: "iqn.2026-01.com.example:a",
		AuthType: 7})
	expectCode(t, 3, err)
}
