package linchpin

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strings"
)

// values are encoded one behind the other as bridge.c decodes them.
type values struct {
	data  []byte
	depth int // of the collections around what is encoded
}

const mostDepth = 200 // as in histories that are read from files

func (v *values) word(tag byte, word uint64) {
	v.data = append(v.data, tag, 0, 0, 0, 0, 0, 0, 0, 0)
	binary.LittleEndian.PutUint64(v.data[len(v.data)-8:], word)
}

func (v *values) integer(number int64) {
	v.word('i', uint64(number))
}

func (v *values) length(tag byte, length int) {
	v.data = append(v.data, tag, 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(v.data[len(v.data)-4:], uint32(length))
}

func (v *values) text(tag byte, text string) error {
	if hasZero(text) {
		return fmt.Errorf("expected a text without zero bytes, found %q", text)
	}
	v.length(tag, len(text))
	v.data = append(append(v.data, text...), 0)
	return nil
}

// add encodes nil, booleans, numbers, texts, and slices of such.
func (v *values) add(value interface{}) error {
	switch value := value.(type) {
	case nil:
		v.data = append(v.data, 'n')
		return nil
	case int:
		v.integer(int64(value))
		return nil
	case string:
		return v.text('s', value)
	}
	return v.reflected(reflect.ValueOf(value))
}

func (v *values) reflected(value reflect.Value) error {
	switch value.Kind() {
	case reflect.Bool:
		tag := byte('f')
		if value.Bool() {
			tag = 't'
		}
		v.data = append(v.data, tag)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.integer(value.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if value.Uint() > math.MaxInt64 {
			return fmt.Errorf("expected an integer of 64 bits with a sign, found %d", value.Uint())
		}
		v.integer(int64(value.Uint()))
	case reflect.Float32, reflect.Float64:
		if math.IsNaN(value.Float()) {
			return fmt.Errorf("expected a number, found NaN, which equals nothing")
		}
		v.word('d', math.Float64bits(value.Float()))
	case reflect.String:
		return v.text('s', value.String())
	case reflect.Ptr, reflect.Interface:
		if value.IsNil() {
			return v.add(nil)
		}
		if v.depth++; v.depth > 2*mostDepth { // a pointer to itself
			return v.tooDeep()
		}
		defer func() { v.depth-- }()
		return v.add(value.Elem().Interface())
	case reflect.Slice, reflect.Array:
		if v.depth++; v.depth > mostDepth {
			return v.tooDeep()
		}
		defer func() { v.depth-- }()
		v.length('l', value.Len())
		for i := 0; i < value.Len(); i++ {
			if err := v.add(value.Index(i).Interface()); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("expected nil, a boolean, a number, a text or a slice of these, found %s", value.Type())
	}
	return nil
}

// hasZero says whether a text would end early in C.
func hasZero(text string) bool {
	return strings.IndexByte(text, 0) >= 0
}

func (v *values) tooDeep() error {
	return fmt.Errorf("expected at most %d slices within one another, found more", mostDepth)
}

// names numbers texts in the order in which they come.
type names struct {
	list    []string
	numbers map[string]uint32
}

func (n *names) add(name string) uint32 {
	number, found := n.numbers[name]
	if !found {
		if n.numbers == nil {
			n.numbers = make(map[string]uint32)
		}
		number = uint32(len(n.list))
		n.numbers[name] = number
		n.list = append(n.list, name)
	}
	return number
}
