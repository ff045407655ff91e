package tests

import (
	"math"
	"reflect"
	"testing"

	"example.com/longshore/internal/wire"
)

type inner struct {
	Text string `wire:"1"`
}

type asked struct {
	Text   string `wire:"1"`
	Flag   bool   `wire:"2"`
	Number uint32 `wire:"3"`
	Long   int64  `wire:"16"`
	Inner  *inner `wire:"4"`
}

type answered struct {
	Text   string            `wire:"1"`
	Flag   bool              `wire:"2"`
	Number uint32            `wire:"3"`
	Long   int64             `wire:"16"`
	Inner  *inner            `wire:"4"`
	Texts  []string          `wire:"5"`
	Inners []*inner          `wire:"6"`
	Map    map[uint32]*inner `wire:"7"`
}

func TestRequestsAreProtobufsBytes(t *testing.T) {
	for _, test := range []struct {
		message any
		bytes   string
	}{
		{&asked{}, ""},
		{&struct{}{}, ""},
		{&asked{Text: "ab", Flag: true, Number: 300}, "\x0a\x02ab\x10\x01\x18\xac\x02"},
		{&asked{Number: math.MaxUint32}, "\x18\xff\xff\xff\xff\x0f"},
		{&asked{Long: -1}, "\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"},
		{&asked{Inner: &inner{}}, "\x22\x00"},
		{&asked{Inner: &inner{"c"}}, "\x22\x03\x0a\x01c"},
	} {
		bytes, err := wire.Encode(test.message)
		if err != nil || string(bytes) != test.bytes {
			t.Errorf("%+v: %q, %v", test.message, bytes, err)
		}
	}
}

func TestWhatIsNoRequestIsRefused(t *testing.T) {
	var none *asked
	for _, message := range []any{
		nil, none, asked{}, "text",
		&struct{ Text string }{"without a number"},
		&struct {
			Text string `wire:"0"`
		}{"number 0"},
		&struct {
			Texts []string `wire:"1"`
		}{[]string{"a list"}},
	} {
		if bytes, err := wire.Encode(message); err == nil {
			t.Errorf("%#v: %q", message, bytes)
		}
	}
}

func TestResponsesAreReadFromProtobufsBytes(t *testing.T) {
	for _, test := range []struct {
		bytes  string
		wanted answered
	}{
		{"", answered{}},
		{"\x0a\x02ab\x10\x01\x18\xac\x02", answered{Text: "ab", Flag: true, Number: 300}},
		{"\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", answered{Long: -1}},
		{"\x22\x00", answered{Inner: &inner{}}},
		{"\x2a\x01a\x2a\x00", answered{Texts: []string{"a", ""}}},
		{"\x32\x03\x0a\x01a\x32\x00", answered{Inners: []*inner{{"a"}, {}}}},
		{"\x3a\x07\x08\x05\x12\x03\x0a\x01a", answered{Map: map[uint32]*inner{5: {"a"}}}},
		{"\x3a\x05\x12\x03\x0a\x01a\x3a\x02\x08\x01", answered{Map: map[uint32]*inner{0: {"a"}, 1: {}}}},
		// The last one counts.
		{"\x18\x01\x18\x02", answered{Number: 2}},
		// Fields that newer versions may have, of every kind.
		{"\xa0\x06\x01\xa1\x0612345678\xa2\x06\x01x\xa5\x061234\x10\x01", answered{Flag: true}},
	} {
		var message answered
		if err := wire.Decode([]byte(test.bytes), &message); err != nil || !reflect.DeepEqual(message, test.wanted) {
			t.Errorf("%q: %+v, %v", test.bytes, message, err)
		}
	}
}

func TestBytesThatAreNoResponseAreRefused(t *testing.T) {
	for _, bytes := range []string{
		"\x0a",      // a key and nothing else
		"\x0a\x02a", // a text that is cut off
		"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", // a text longer than memory
		"\x18\x80", // a number that is cut off
		"\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", // one that is too long
		"\xa1\x061234567",          // eight bytes, less one
		"\xa5\x06123",              // four, less one
		"\x00\x01",                 // field 0
		"\x0b",                     // a group
		"\x0f",                     // no kind of value
		"\x08\x01",                 // a number in a text's place
		"\x1a\x01a",                // a text in a number's
		"\x28\x01",                 // a number in a list of texts
		"\x22\x02\x0a\x05",         // a message whose text is cut off
		"\x3a\x02\x08\x80",         // an entry whose key is
		"\x3a\x04\x12\x02\x0a\x05", // an entry whose value is
	} {
		var message answered
		if err := wire.Decode([]byte(bytes), &message); err == nil {
			t.Errorf("%q: %+v", bytes, message)
		}
	}
}
