package linchpin

/*
#cgo pkg-config: linchpin
#include "bridge.h"
#include <stdlib.h>
*/
import "C"

import (
	"context"
	"fmt"
	"runtime/cgo"
	"sync"
	"unsafe"
)

const (
	illegal = 0
	refused = ^C.uint64_t(0) // LP_STATE_REFUSED
)

// failure is the first panic of a model's functions, which is passed on to who called the package.
type failure struct {
	mutex    sync.Mutex
	happened bool
	value    interface{}
}

func (f *failure) set(value interface{}) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if !f.happened {
		f.happened, f.value = true, value
	}
}

func (f *failure) is() bool {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.happened
}

func (f *failure) pass() {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.happened {
		panic(f.value)
	}
}

// engine answers the library's callbacks. One thread uses it at a time.
type engine struct {
	model   *Model
	ctx     context.Context
	classes *classes
	states  *states
	failed  *failure

	// Where operations are shown: the numbers of functions, arguments and results as the library
	// has them, to classes.
	described map[described]uint32
	next      []uint32 // classes of the operations to come
}

type described struct {
	function, argument, result uint64
}

func newEngine(model *Model, ctx context.Context, classes *classes, failed *failure) *engine {
	return &engine{model: model, ctx: ctx, classes: classes, states: newStates(model), failed: failed}
}

func (e *engine) init() uint32 {
	return e.states.add(e.model.Init(), 0, 0)
}

// step gives the number of the state after an operation, 0 if it is not possible.
func (e *engine) step(state, class uint32) uint32 {
	key := &e.classes.members[class]
	possible, next := e.model.ask(e.ctx, e.states.at(state), key.input, key.output)
	if !possible {
		return illegal
	}
	return e.states.add(next, state, class)
}

// guard turns a panic into a refusal.
func (e *engine) guard(answer *C.uint64_t) {
	if value := recover(); value != nil {
		e.failed.set(value)
		*answer = refused
	}
}

func engineOf(handle C.uintptr_t) *engine {
	return cgo.Handle(handle).Value().(*engine)
}

//export goInit
func goInit(handle C.uintptr_t) (answer C.uint64_t) {
	e := engineOf(handle)
	answer = 0
	defer func() {
		if value := recover(); value != nil {
			e.failed.set(value)
			answer = 0 // init has no other way to refuse
		}
	}()
	return C.uint64_t(e.init())
}

//export goStep
func goStep(handle C.uintptr_t, state, class C.uint64_t) (answer C.uint64_t) {
	e := engineOf(handle)
	defer e.guard(&answer)
	answer = C.uint64_t(e.step(uint32(state), uint32(class)))
	if e.ctx != nil && e.model.StepContext != nil && e.ctx.Err() != nil {
		answer = refused
	}
	return answer
}

//export goRecorded
func goRecorded(handle C.uintptr_t, index, function, argument, result C.uint64_t) {
	e := engineOf(handle)
	e.described[described{uint64(function), uint64(argument), uint64(result)}] = e.next[index]
}

//export goFollow
func goFollow(handle C.uintptr_t, state, function, argument, result C.uint64_t) C.uint64_t {
	class, found := engineOf(handle).described[described{uint64(function), uint64(argument), uint64(result)}]
	if !found {
		return illegal
	}
	return goStep(handle, state, C.uint64_t(class))
}

//export goPrint
func goPrint(handle C.uintptr_t, state C.uint64_t) *C.char {
	e := engineOf(handle)
	text := ""
	func() {
		defer func() {
			if value := recover(); value != nil {
				e.failed.set(value)
			}
		}()
		text = describeState(e.model.DescribeState, e.states.at(uint32(state)))
	}()
	return C.CString(text)
}

func describeState(describe func(interface{}) string, state interface{}) string {
	if describe != nil {
		return describe(state)
	}
	return fmt.Sprintf("%v", state)
}

func describeOperation(describe func(input, output interface{}) string, input, output interface{}) string {
	if describe != nil {
		return describe(input, output)
	}
	return fmt.Sprintf("%v -> %v", input, output)
}

func describeValue(value interface{}) string {
	if value == nil {
		return ""
	}
	return fmt.Sprintf("%v", value)
}

// question is what is asked of the library, with the memory that it is made of.
type question struct {
	c         *C.bridge_question
	allocated []unsafe.Pointer
}

func newQuestion() *question {
	return &question{c: (*C.bridge_question)(C.calloc(1, C.sizeof_bridge_question))}
}

func (q *question) bytes(data []byte) unsafe.Pointer {
	copied := C.CBytes(data)
	q.allocated = append(q.allocated, copied)
	return copied
}

func (q *question) text(text string) *C.char {
	copied := C.CString(text)
	q.allocated = append(q.allocated, unsafe.Pointer(copied))
	return copied
}

// names gives the C side a list of texts.
func (q *question) names(names []string) {
	var list []byte
	for _, name := range names {
		list = append(append(list, name...), 0)
	}
	q.c.names = (*C.char)(q.bytes(append(list, 0)))
}

// operations makes room for so many, to be filled in.
func (q *question) operations(count int) []C.bridge_operation {
	room := C.calloc(C.size_t(count)+1, C.sizeof_bridge_operation)
	q.allocated = append(q.allocated, room)
	q.c.operations = (*C.bridge_operation)(room)
	q.c.count = C.size_t(count)
	return (*[1 << 28]C.bridge_operation)(room)[:count:count]
}

func (q *question) release() {
	for _, memory := range q.allocated {
		C.free(memory)
	}
	C.free(unsafe.Pointer(q.c))
}

// answer is the library's, in a context of its own.
type answer struct {
	c *C.bridge_answer
}

func newAnswer(memory uint64) *answer {
	a := &answer{(*C.bridge_answer)(C.calloc(1, C.sizeof_bridge_answer))}
	a.c.context = C.lp_context_create(C.size_t(memory))
	return a
}

func (a *answer) release() {
	C.bridge_release(a.c)
	C.free(unsafe.Pointer(a.c))
	a.c = nil
}

// interrupts stop contexts when they are no longer needed.
type interrupts struct {
	mutex    sync.Mutex
	stopped  bool
	contexts map[*C.lp_context]bool
}

// add watches a context; false: it was stopped already.
func (i *interrupts) add(a *answer) bool {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	if i.stopped {
		return false
	}
	if i.contexts == nil {
		i.contexts = make(map[*C.lp_context]bool)
	}
	i.contexts[a.c.context] = true
	return true
}

func (i *interrupts) remove(a *answer) {
	i.mutex.Lock()
	delete(i.contexts, a.c.context)
	i.mutex.Unlock()
}

func (i *interrupts) isStopped() bool {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	return i.stopped
}

func (i *interrupts) stop() {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	i.stopped = true
	for c := range i.contexts {
		C.lp_context_interrupt(c)
	}
}

// An Error is what the library says is wrong with an input or a request.
type Error struct {
	File    string // "" where it has no place
	Line    int
	Message string
}

func (e *Error) Error() string {
	switch {
	case e.File != "" && e.Line > 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message)
	case e.File != "":
		return e.File + ": " + e.Message
	}
	return e.Message
}

func errorOf(status C.lp_status, fault *C.lp_error) error {
	if status == C.LP_OK {
		return nil
	}
	message := C.GoString(&fault.message[0])
	if message == "" {
		message = "a limit was reached"
	}
	return &Error{C.GoString(&fault.file[0]), int(fault.line), message}
}
