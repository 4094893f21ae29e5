package linchpin

/*
#include "bridge.h"
#include <stdlib.h>
*/
import "C"

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime/cgo"
	"strconv"
	"strings"
	"unsafe"
)

// Visualize writes linchpin's page for a browser: the history, the linearization or the orders that
// go furthest, the operations that make a violation and the object along the way. It is one file
// that needs nothing else. The model must be the one of the check.
//
// The page carries the data of Porcupine's page too, for programs that read them there.
func Visualize(model Model, info LinearizationInfo, output io.Writer) (err error) {
	page, err := makePage(&model, &info)
	if err != nil {
		return err
	}
	data, err := json.Marshal(computeVisualizationData(model, info))
	if err != nil {
		return err
	}
	end := bytes.LastIndex(page, []byte("</body>"))
	if end < 0 {
		end = len(page)
	}
	for _, piece := range [][]byte{page[:end], []byte("<script type=\"text/plain\">const data = "),
		data, []byte("\n</script>\n"), page[end:]} {
		if _, err := output.Write(piece); err != nil {
			return err
		}
	}
	return nil
}

// VisualizePath does so into a file.
func VisualizePath(model Model, info LinearizationInfo, path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := Visualize(model, info, file); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// makePage has the library decide once more, with the operations described, and write its page.
func makePage(model *Model, info *LinearizationInfo) ([]byte, error) {
	operations, keys := info.all()
	lanes, processes := lanesOf(operations, model.builtin != nil && model.builtin.Owned)
	a := newAnswer(0)
	defer a.release()
	q := newQuestion()
	defer q.release()
	var failed failure
	q.processes(processes)
	if model.builtin != nil {
		if err := recordBuiltin(q, model.builtin, operations, lanes, info.annotations); err != nil {
			return nil, err
		}
	} else {
		ctx := context.Background()
		if info.timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, info.timeout)
			defer cancel()
		}
		e := newEngine(model, ctx, newClasses(0), &failed)
		handle := cgo.NewHandle(e)
		defer handle.Delete()
		q.describe(e, operations, keys, lanes, info.annotations)
		q.c.model.handle = C.uintptr_t(handle)
		q.c.model.described = true
		q.c.method = C.LP_METHOD_SEARCH
		q.c.all = true
	}
	q.c.jobs = 1
	q.c.timeout = C.double(info.timeout.Seconds())
	C.bridge_check(q.c, a.c)
	failed.pass()
	if err := errorOf(a.c.status, &a.c.error); err != nil {
		return nil, err
	}
	return a.page(nil)
}

// page has the answer written; history nil: the one that was recorded with it.
func (a *answer) page(history *C.lp_history) ([]byte, error) {
	if history == nil {
		history = a.c.history
	}
	var length C.size_t
	page := C.bridge_html(a.c, history, &length)
	if page == nil {
		return nil, &Error{Message: "no memory is left for the page"}
	}
	defer C.free(unsafe.Pointer(page))
	return C.GoBytes(unsafe.Pointer(page), C.int(length)), nil
}

// all gives the operations of all parts, with the part of each; times of events are their places in
// the whole history, if that has an Id once.
func (li *LinearizationInfo) all() ([]Operation, []int) {
	places := make(map[int][2]int64)
	for i, event := range li.events {
		pair := places[event.Id]
		if event.Kind == CallEvent {
			pair[0] = int64(i)
		} else {
			pair[1] = int64(i)
		}
		places[event.Id] = pair
	}
	var operations []Operation
	var keys []int
	for i := range li.parts {
		part := &li.parts[i]
		for k, operation := range part.operations {
			if !part.byTime && 2*len(places) == len(li.events) {
				pair := places[part.ids[k]]
				operation.Call, operation.Return = pair[0], pair[1]
			}
			operations = append(operations, operation)
			keys = append(keys, i)
		}
	}
	return operations, keys
}

// A description such as "get('x') -> 'y'" is shown as the operation get with an argument and a
// result; others as the operation they begin with, and the rest.
var callSyntax = regexp.MustCompile(`^\s*([A-Za-z_][A-Za-z0-9_-]*)\s*(.*)$`)

const mostFunctions = 1000

func splitDescription(text string) (function, argument, result string) {
	function, argument = "operation", text
	if match := callSyntax.FindStringSubmatch(text); match != nil {
		function, argument = match[1], match[2]
	}
	for _, arrow := range []string{" -> ", " → "} {
		if at := strings.LastIndex(argument, arrow); at >= 0 {
			argument, result = argument[:at], argument[at+len(arrow):]
			break
		}
	}
	if strings.HasPrefix(argument, "(") && strings.HasSuffix(argument, ")") {
		argument = argument[1 : len(argument)-1]
	}
	clean := func(text string) string { return strings.ReplaceAll(text, "\x00", "␀") }
	return function, clean(argument), clean(result)
}

// describe puts the operations into the question as people read them.
func (q *question) describe(e *engine, operations []Operation, keys []int, lanes []uint32, notes []Annotation) {
	room := q.operations(len(operations))
	var values values
	var names names
	names.add("operation")
	e.described = make(map[described]uint32)
	e.next = make([]uint32, len(operations))
	taken := make(map[string]uint32) // descriptions, by which class
	places := make(map[string]C.uint64_t)
	place := func(tag byte, text string) C.uint64_t {
		at, found := places[text]
		if !found {
			at = C.uint64_t(len(values.data))
			places[text] = at
			_ = values.text(tag, text)
		}
		return at
	}
	several := len(keys) > 0 && keys[len(keys)-1] > 0
	for i := range operations {
		operation := &operations[i]
		class := e.classes.add(operation.Input, operation.Output)
		e.next[i] = class
		text := describeOperation(e.model.DescribeOperation, operation.Input, operation.Output)
		function, argument, result := splitDescription(text)
		if len(names.list) > mostFunctions {
			function, argument, result = "operation", text, ""
		}
		for same := 2; ; same++ { // operations that differ in what is not described
			whole := function + "\x00" + argument + "\x00" + result
			other, found := taken[whole]
			if !found || other == class {
				taken[whole] = class
				break
			}
			_, argument, result = splitDescription(text)
			argument += fmt.Sprintf(" #%d", same)
		}
		now := &room[i]
		now.called, now.returned = C.int64_t(operation.Call), C.int64_t(operation.Return)
		now.process = C.uint32_t(lanes[i])
		now.function = C.uint32_t(names.add(function))
		now.argument, now.result, now.key = C.BRIDGE_NIL, C.BRIDGE_NIL, C.BRIDGE_NIL
		if argument != "" {
			now.argument = place('y', argument)
		}
		if result == "" {
			now.silent = true
		} else {
			now.result = place('y', result)
		}
		if several {
			now.key = C.uint64_t(len(values.data))
			values.integer(int64(keys[i]))
		}
	}
	q.notes(notes, &values)
	q.c.values = (*C.uint8_t)(q.bytes(values.data))
	q.names(names.list)
}

// notes adds annotations: two for one that takes time.
func (q *question) notes(annotations []Annotation, values *values) {
	room := (*[1 << 24]C.bridge_note)(C.calloc(C.size_t(2*len(annotations))+1, C.sizeof_bridge_note))
	q.allocated = append(q.allocated, unsafe.Pointer(room))
	clean := func(text string) string { return strings.ReplaceAll(text, "\x00", "␀") }
	count := 0
	add := func(annotation *Annotation, prefix string, time int64) {
		tag := annotation.Tag
		if tag == "" {
			tag = "client " + strconv.Itoa(annotation.ClientId)
		}
		note := &room[count]
		count++
		note.process = C.uint64_t(len(values.data))
		_ = values.text('y', clean(tag))
		note.value = C.BRIDGE_NIL
		if annotation.Details != "" {
			note.value = C.uint64_t(len(values.data))
			_ = values.text('y', clean(annotation.Details))
		}
		note.name = q.text(prefix + clean(annotation.Description))
		note.time = C.int64_t(time)
	}
	for i := range annotations {
		annotation := &annotations[i]
		if annotation.End > annotation.Start {
			add(annotation, "start ", annotation.Start)
			add(annotation, "stop ", annotation.End)
		} else {
			add(annotation, "", annotation.Start)
		}
	}
	q.c.notes = &room[0]
	q.c.note_count = C.size_t(count)
}
