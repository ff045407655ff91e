package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
)

var errCutOff = errors.New("the bytes are cut off, or no message")

// written is a field's value as it was read.
type written struct {
	kind   uint64
	number uint64 // of kindNumber
	bytes  []byte // of kindBytes
}

// Decode reads a response's bytes into a pointer to a struct. Fields that it does not have are left
// out.
func Decode(bytes []byte, message any) error {
	return decodeFields(bytes, reflect.ValueOf(message).Elem())
}

func decodeFields(bytes []byte, message reflect.Value) error {
	for len(bytes) > 0 {
		key, value, rest, err := readField(bytes)
		if err != nil {
			return err
		}
		bytes = rest
		for i := 0; i < message.NumField(); i++ {
			number, err := Number(message.Type().Field(i))
			if err != nil {
				return err
			}
			if number != key {
				continue
			}
			if err := store(value, message.Field(i)); err != nil {
				return fmt.Errorf("%s: %w", message.Type().Field(i).Name, err)
			}
		}
	}
	return nil
}

// readField answers the field's number, its value, and the bytes behind it.
func readField(bytes []byte) (uint64, written, []byte, error) {
	key, bytes, err := readNumber(bytes)
	if err != nil {
		return 0, written{}, nil, err
	}
	value := written{kind: key & 7}
	var size uint64
	switch value.kind {
	case kindNumber:
		value.number, bytes, err = readNumber(bytes)
	case kindFixed64:
		size = 8
	case kindFixed32:
		size = 4
	case kindBytes:
		size, bytes, err = readNumber(bytes)
	default:
		err = errCutOff
	}
	if err == nil && (key>>3 == 0 || size > uint64(len(bytes))) {
		err = errCutOff
	}
	if err != nil {
		return 0, written{}, nil, err
	}
	value.bytes = bytes[:size]
	return key >> 3, value, bytes[size:], nil
}

func readNumber(bytes []byte) (uint64, []byte, error) {
	number, size := binary.Uvarint(bytes)
	if size <= 0 {
		return 0, nil, errCutOff
	}
	return number, bytes[size:], nil
}

// store sets a field, or adds to it where it is a list or a map.
func store(value written, field reflect.Value) error {
	wanted := uint64(kindBytes)
	switch field.Kind() {
	case reflect.Bool, reflect.Uint32, reflect.Int64:
		wanted = kindNumber
	case reflect.Slice:
		element := reflect.New(field.Type().Elem()).Elem()
		if err := store(value, element); err != nil {
			return err
		}
		field.Set(reflect.Append(field, element))
		return nil
	}
	if value.kind != wanted {
		return fmt.Errorf("a value of another kind (%d)", value.kind)
	}
	switch field.Kind() {
	case reflect.Bool:
		field.SetBool(value.number != 0)
	case reflect.Uint32:
		field.SetUint(uint64(uint32(value.number)))
	case reflect.Int64:
		field.SetInt(int64(value.number))
	case reflect.String:
		field.SetString(string(value.bytes))
	case reflect.Pointer:
		if field.IsNil() {
			field.Set(reflect.New(field.Type().Elem()))
		}
		return decodeFields(value.bytes, field.Elem())
	case reflect.Map:
		return storeEntry(value.bytes, field)
	default:
		return fmt.Errorf("responses have no %s", field.Type())
	}
	return nil
}

// storeEntry reads an entry of a map from numbers to messages: a message of key and value. Either may
// be left out.
func storeEntry(bytes []byte, field reflect.Value) error {
	key := reflect.New(field.Type().Key()).Elem()
	entry := reflect.New(field.Type().Elem().Elem())
	for len(bytes) > 0 {
		number, value, rest, err := readField(bytes)
		if err != nil {
			return err
		}
		bytes = rest
		switch number {
		case 1:
			err = store(value, key)
		case 2:
			err = store(value, entry)
		}
		if err != nil {
			return err
		}
	}
	if field.IsNil() {
		field.Set(reflect.MakeMap(field.Type()))
	}
	field.SetMapIndex(key, entry)
	return nil
}
