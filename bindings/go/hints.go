package linchpin

import (
	"reflect"
	"sort"
	"strings"
)

// hints tell hopeful states from hopeless ones where states are texts that grow, as those of stores
// are whose clients append: such a state is on the way to an output that was recorded only if that
// begins with it. What is behind a hopeless one is mostly the same, whichever it is.
type hints struct {
	outputs []string // sorted
}

func newHints(initial interface{}, operations []Operation) *hints {
	if initial == nil || reflect.TypeOf(initial).Kind() != reflect.String {
		return nil
	}
	h := &hints{}
	for i := range operations {
		h.add(operations[i].Output)
	}
	sort.Strings(h.outputs)
	return h
}

// add notes the texts that an output has: it is one, or has fields that are.
func (h *hints) add(output interface{}) {
	if text, is := output.(string); is {
		h.outputs = append(h.outputs, text)
		return
	}
	value := reflect.ValueOf(output)
	switch value.Kind() {
	case reflect.String:
		h.outputs = append(h.outputs, value.String())
	case reflect.Struct:
		for i := 0; i < value.NumField(); i++ {
			if value.Field(i).Kind() == reflect.String {
				h.outputs = append(h.outputs, value.Field(i).String())
			}
		}
	}
}

// isHopeful says whether an output begins with the state.
func (h *hints) isHopeful(state interface{}) bool {
	text, is := state.(string)
	if !is {
		text = reflect.ValueOf(state).String()
	}
	i := sort.SearchStrings(h.outputs, text)
	return i < len(h.outputs) && strings.HasPrefix(h.outputs[i], text)
}
