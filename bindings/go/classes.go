package linchpin

import "reflect"

// classes tells operations apart by input and output, as far as they can be compared: what Step
// says of one operation it says of all of its class.
type classes struct {
	members []classKey
	numbers map[classKey]uint32
	last    [2]reflect.Type
	plain   [2]bool
	types   map[reflect.Type]bool
}

type classKey struct {
	input, output interface{}
}

func newClasses(operations int) *classes {
	return &classes{numbers: make(map[classKey]uint32, operations), types: make(map[reflect.Type]bool)}
}

func (c *classes) add(input, output interface{}) uint32 {
	number := uint32(len(c.members))
	key := classKey{input, output}
	if c.isPlain(0, input) && c.isPlain(1, output) {
		if known, found := c.numbers[key]; found {
			return known
		}
		c.numbers[key] = number
	}
	c.members = append(c.members, key)
	return number
}

func (c *classes) isPlain(which int, value interface{}) bool {
	kind := reflect.TypeOf(value)
	if kind != c.last[which] {
		c.last[which], c.plain[which] = kind, isPlain(c.types, kind)
	}
	return c.plain[which] || kind == nil
}

// isPlain says whether == of two values of the type means that nothing can tell them apart. It does
// not of real numbers (0 and -0), and nobody knows of interfaces.
func isPlain(known map[reflect.Type]bool, kind reflect.Type) bool {
	if kind == nil {
		return true
	}
	if plain, found := known[kind]; found {
		return plain
	}
	plain := false
	switch kind.Kind() {
	case reflect.Bool, reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32,
		reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Uintptr, reflect.Ptr, reflect.Chan, reflect.UnsafePointer:
		plain = true
	case reflect.Array:
		plain = isPlain(known, kind.Elem())
	case reflect.Struct:
		plain = true
		for i := 0; i < kind.NumField(); i++ {
			plain = plain && isPlain(known, kind.Field(i).Type)
		}
	}
	known[kind] = plain
	return plain
}
