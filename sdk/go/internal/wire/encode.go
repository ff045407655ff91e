// Package wire has the messages of csi-proxy's groups as protobuf's bytes. A message is a struct
// whose fields have their numbers as tags:
//
//	Path string `wire:"1"`
//
// It is as much of protobuf as these messages have: requests of texts, numbers and messages,
// responses with lists and maps besides. Whether the structs are those of the protos, tests compare.
package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"strconv"
)

// How a field's value is written.
const (
	kindNumber  = 0
	kindFixed64 = 1
	kindBytes   = 2
	kindFixed32 = 5
)

// Number answers which number a field has.
func Number(field reflect.StructField) (uint64, error) {
	number, err := strconv.ParseUint(field.Tag.Get("wire"), 10, 29)
	if err != nil || number == 0 {
		return 0, fmt.Errorf("the field %s has no number", field.Name)
	}
	return number, nil
}

// Encode answers the bytes of a request, a pointer to a struct.
func Encode(message any) ([]byte, error) {
	value := reflect.ValueOf(message)
	if value.Kind() != reflect.Pointer || value.Elem().Kind() != reflect.Struct {
		return nil, errors.New("it is nil, or no message")
	}
	return encodeFields(value.Elem())
}

func encodeFields(message reflect.Value) (bytes []byte, err error) {
	for i := 0; i < message.NumField(); i++ {
		number, err := Number(message.Type().Field(i))
		if err != nil {
			return nil, err
		}
		if bytes, err = appendField(bytes, number<<3, message.Field(i)); err != nil {
			return nil, fmt.Errorf("%s: %w", message.Type().Field(i).Name, err)
		}
	}
	return bytes, nil
}

// appendField leaves out what has its type's zero value, as proto3 does.
func appendField(bytes []byte, key uint64, value reflect.Value) ([]byte, error) {
	if value.IsZero() {
		return bytes, nil
	}
	switch value.Kind() {
	case reflect.Bool:
		return appendNumber(bytes, key, 1), nil
	case reflect.Uint32:
		return appendNumber(bytes, key, value.Uint()), nil
	case reflect.Int64:
		return appendNumber(bytes, key, uint64(value.Int())), nil
	case reflect.String:
		return appendBytes(bytes, key, []byte(value.String())), nil
	case reflect.Pointer:
		inner, err := encodeFields(value.Elem())
		if err != nil {
			return nil, err
		}
		return appendBytes(bytes, key, inner), nil
	default:
		return nil, fmt.Errorf("requests have no %s", value.Type())
	}
}

func appendNumber(bytes []byte, key, number uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(bytes, key|kindNumber), number)
}

func appendBytes(bytes []byte, key uint64, value []byte) []byte {
	bytes = binary.AppendUvarint(binary.AppendUvarint(bytes, key|kindBytes), uint64(len(value)))
	return append(bytes, value...)
}
