package tests

import (
	"context"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.com/longshore/internal/wire"
	"example.com/longshore/pkg/disk"
	"example.com/longshore/pkg/filesystem"
	"example.com/longshore/pkg/iscsi"
	"example.com/longshore/pkg/smb"
	"example.com/longshore/pkg/system"
	"example.com/longshore/pkg/volume"
)

// field is one of a proto's: "repeated string iqns = 1;".
type field struct {
	name, kind string
	number     uint64
}

// proto is as much of a .proto file as is compared.
type proto struct {
	service  string
	calls    map[string][2]string // request and response by method
	messages map[string][]field
	enums    map[string]map[string]uint64
}

var (
	packageLine = regexp.MustCompile(`^package (\w+);`)
	serviceLine = regexp.MustCompile(`^service (\w+) \{`)
	rpcText     = regexp.MustCompile(`rpc (\w+)\((\w+)\)\s+returns \((\w+)\)`)
	messageLine = regexp.MustCompile(`^message (\w+) \{`)
	enumLine    = regexp.MustCompile(`^enum (\w+) \{`)
	fieldLine   = regexp.MustCompile(`^  (repeated \w+|map<\w+, \w+>|\w+) (\w+) = (\d+)[ ;]`)
	valueLine   = regexp.MustCompile(`^  (\w+) = (\d+);`)
)

// readProto reads one of sdk/proto. The tests run in this folder.
func readProto(t *testing.T, name string) proto {
	t.Helper()
	text, err := os.ReadFile("../../proto/" + name)
	if err != nil {
		t.Fatal(err)
	}
	read := proto{calls: map[string][2]string{}, messages: map[string][]field{}, enums: map[string]map[string]uint64{}}
	var version, message, enum string
	for _, line := range strings.Split(string(text), "\n") {
		if found := packageLine.FindStringSubmatch(line); found != nil {
			version = found[1]
		} else if found := serviceLine.FindStringSubmatch(line); found != nil {
			read.service = version + "." + found[1]
		} else if found := messageLine.FindStringSubmatch(line); found != nil {
			message = found[1]
			read.messages[message] = nil
		} else if found := enumLine.FindStringSubmatch(line); found != nil {
			enum = found[1]
			read.enums[enum] = map[string]uint64{}
		} else if found := fieldLine.FindStringSubmatch(line); found != nil {
			number, _ := strconv.ParseUint(found[3], 10, 32)
			read.messages[message] = append(read.messages[message], field{found[2], found[1], number})
		} else if found := valueLine.FindStringSubmatch(line); found != nil {
			number, _ := strconv.ParseUint(found[2], 10, 32)
			read.enums[enum][found[1]] = number
		}
	}
	for _, found := range rpcText.FindAllStringSubmatch(string(text), -1) {
		read.calls[found[1]] = [2]string{found[2], found[3]}
	}
	return read
}

// compareMessage compares a Go struct with a proto's message, and those inside.
func compareMessage(t *testing.T, file proto, name string, message reflect.Type) {
	t.Helper()
	wanted, ok := file.messages[name]
	if !ok || message.Kind() != reflect.Struct || message.NumField() != len(wanted) {
		t.Errorf("%v is not the message %s with %v", message, name, wanted)
		return
	}
	for i, of := range wanted {
		its := message.Field(i)
		if number, err := wire.Number(its); err != nil || number != of.number {
			t.Errorf("%s.%s has the number %d, %v", name, its.Name, number, err)
		}
		if !strings.EqualFold(its.Name, strings.ReplaceAll(of.name, "_", "")) {
			t.Errorf("%s.%s is not %s", name, its.Name, of.name)
		}
		compareType(t, file, of.kind, its.Type)
	}
}

func compareType(t *testing.T, file proto, kind string, its reflect.Type) {
	t.Helper()
	numbers := map[string]reflect.Kind{
		"string": reflect.String, "bool": reflect.Bool, "uint32": reflect.Uint32, "int64": reflect.Int64}
	if element := strings.TrimPrefix(kind, "repeated "); element != kind {
		if its.Kind() != reflect.Slice {
			t.Errorf("%v is not %s", its, kind)
			return
		}
		compareType(t, file, element, its.Elem())
	} else if value := strings.TrimPrefix(kind, "map<uint32, "); value != kind {
		if its.Kind() != reflect.Map || its.Key().Kind() != reflect.Uint32 {
			t.Errorf("%v is not %s", its, kind)
			return
		}
		compareType(t, file, strings.TrimSuffix(value, ">"), its.Elem())
	} else if wanted, ok := numbers[kind]; ok {
		if its.Kind() != wanted {
			t.Errorf("%v is not %s", its, kind)
		}
	} else if _, ok := file.enums[kind]; ok {
		if its.Kind() != reflect.Uint32 || its.Name() != kind {
			t.Errorf("%v is not %s", its, kind)
		}
	} else if its.Kind() != reflect.Pointer {
		t.Errorf("%v is not %s", its, kind)
	} else {
		compareMessage(t, file, kind, its.Elem())
	}
}

// recorder stands in for an agent that answers with nothing.
type recorder struct {
	method string
	bytes  []byte
}

func (r *recorder) Call(_ context.Context, method string, request []byte) ([]byte, error) {
	r.method, r.bytes = method, request
	return nil, nil
}

// groups makes each group of an agent, by the proto that it is of.
func groups(agent *recorder) map[string]any {
	disks, _ := disk.New(agent)
	files, _ := filesystem.New(agent)
	portals, _ := iscsi.New(agent)
	shares, _ := smb.New(agent)
	services, _ := system.New(agent)
	volumes, _ := volume.New(agent)
	return map[string]any{
		"disk/v1.proto": disks, "filesystem/v2alpha1.proto": files, "iscsi/v1alpha2.proto": portals,
		"smb/v1.proto": shares, "system/v1alpha1.proto": services, "volume/v2alpha1.proto": volumes}
}

func TestMethodsAndMessagesAreThoseOfTheProtos(t *testing.T) {
	var agent recorder
	for name, group := range groups(&agent) {
		file := readProto(t, name)
		if len(file.calls) == 0 || len(file.messages) < 2*len(file.calls) {
			t.Fatalf("%s was read as %+v", name, file)
		}
		value := reflect.ValueOf(group)
		others := value.NumMethod()
		for call, messages := range file.calls {
			method := value.MethodByName(strings.Replace(call, "Smb", "SMB", 1))
			if !method.IsValid() {
				t.Errorf("%T has no %s", group, call)
				continue
			}
			others--
			request := method.Type().In(1).Elem()
			compareMessage(t, file, messages[0], request)
			compareMessage(t, file, messages[1], method.Type().Out(0).Elem())
			answers := method.Call([]reflect.Value{reflect.ValueOf(context.Background()), reflect.New(request)})
			if answers[0].IsNil() || !answers[1].IsNil() || agent.method != file.service+"/"+call {
				t.Errorf("%s of %T calls %s: %v", call, group, agent.method, answers[1])
			}
			// No request at all is an error, and the agent is not called.
			agent.method = ""
			answers = method.Call([]reflect.Value{reflect.ValueOf(context.Background()), reflect.Zero(reflect.PointerTo(request))})
			if answers[1].IsNil() || agent.method != "" {
				t.Errorf("%s of %T calls %q without a request", call, group, agent.method)
			}
		}
		if _, ok := group.(*filesystem.Filesystem); ok {
			others-- // PathValid
		}
		if others != 0 {
			t.Errorf("%T has %d methods that %s has not", group, others, name)
		}
	}
}

func TestNumbersAreThoseOfTheProtos(t *testing.T) {
	for _, test := range []struct {
		file, enum string
		ours       map[string]uint64
	}{
		{"iscsi/v1alpha2.proto", "AuthenticationType", map[string]uint64{
			"NONE": iscsi.NONE, "ONE_WAY_CHAP": iscsi.ONE_WAY_CHAP, "MUTUAL_CHAP": iscsi.MUTUAL_CHAP}},
		{"system/v1alpha1.proto", "ServiceStatus", map[string]uint64{
			"UNKNOWN":          uint64(system.SERVICE_STATUS_UNKNOWN),
			"STOPPED":          uint64(system.SERVICE_STATUS_STOPPED),
			"START_PENDING":    uint64(system.SERVICE_STATUS_START_PENDING),
			"STOP_PENDING":     uint64(system.SERVICE_STATUS_STOP_PENDING),
			"RUNNING":          uint64(system.SERVICE_STATUS_RUNNING),
			"CONTINUE_PENDING": uint64(system.SERVICE_STATUS_CONTINUE_PENDING),
			"PAUSE_PENDING":    uint64(system.SERVICE_STATUS_PAUSE_PENDING),
			"PAUSED":           uint64(system.SERVICE_STATUS_PAUSED)}},
		{"system/v1alpha1.proto", "StartType", map[string]uint64{
			"BOOT":      uint64(system.START_TYPE_BOOT),
			"SYSTEM":    uint64(system.START_TYPE_SYSTEM),
			"AUTOMATIC": uint64(system.START_TYPE_AUTOMATIC),
			"MANUAL":    uint64(system.START_TYPE_MANUAL),
			"DISABLED":  uint64(system.START_TYPE_DISABLED)}},
	} {
		if wanted := readProto(t, test.file).enums[test.enum]; !reflect.DeepEqual(test.ours, wanted) {
			t.Errorf("%s has %v, and here is %v", test.enum, wanted, test.ours)
		}
	}
}
