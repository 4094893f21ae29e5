package linchpin

/*
#include "bridge.h"
*/
import "C"

import (
	"fmt"
	"math"
	"runtime"
)

// An Input of a built-in specification, or of one in a file: one of its operations and the argument,
// as `linchpin specs` lists them. Key is for maps, or where each key is an object of its own; Object
// names the object where a history has several.
type Input struct {
	F      string      `json:"f"`
	Value  interface{} `json:"value,omitempty"`
	Key    interface{} `json:"key,omitempty"`
	Object string      `json:"object,omitempty"`
}

// An Output of such a specification: what the client saw. Nil is an answer too: of dequeue it says
// that the queue was empty. With Error the operation may have happened, at any time after the call;
// with Fail it did not happen.
type Output struct {
	Value interface{} `json:"value,omitempty"`
	Error string      `json:"error,omitempty"`
	Fail  bool        `json:"fail,omitempty"`
}

// Never is the Return of an operation that had not returned when the test ended.
const Never int64 = math.MaxInt64

// Options of a specification.
type Options struct {
	Initial  string // the starting value in EDN: "0", "[1 2]", "{x 0 y 1}"; "": the default
	Owned    bool   // of a mutex: only the client that holds it may release it
	NilReads bool   // a read that answered nil agrees with any state, as in Knossos
}

type builtin struct {
	name string
	Options
}

// Specification is a built-in one, such as "queue" or "semaphore(3)", or one that a file describes:
// "stack.lin", "objects.lin:stack(3)". Its operations have an [Input] and an [Output].
func Specification(name string, options Options) Model {
	return Model{builtin: &builtin{name, options},
		DescribeOperation: describeCall}
}

// The built-in specifications, each with its default value.

func Register() Model      { return Specification("register", Options{}) }
func CASRegister() Model   { return Specification("cas-register", Options{}) }
func Mutex() Model         { return Specification("mutex", Options{}) }
func Queue() Model         { return Specification("queue", Options{}) }
func Stack() Model         { return Specification("stack", Options{}) }
func Set() Model           { return Specification("set", Options{}) }
func Counter() Model       { return Specification("counter", Options{}) }
func PriorityQueue() Model { return Specification("priority-queue", Options{}) }
func Deque() Model         { return Specification("deque", Options{}) }
func MultiRegister() Model { return Specification("multi-register", Options{}) }
func Map() Model           { return Specification("map", Options{}) }

// Semaphore has so many permits.
func Semaphore(permits int) Model {
	return Specification(fmt.Sprintf("semaphore(%d)", permits), Options{})
}

// A CASRegister's cas has the argument [old new]: []interface{}{1, 2}.

func describeCall(input, output interface{}) string {
	in, _ := input.(Input)
	out, _ := output.(Output)
	text := in.F
	if in.Key != nil {
		text += fmt.Sprintf(" %v", in.Key)
	}
	if in.Value != nil {
		text += fmt.Sprintf(" %v", in.Value)
	}
	switch {
	case out.Fail:
		return text + " failed"
	case out.Error != "":
		return text + " -> ?"
	case out.Value != nil:
		return text + fmt.Sprintf(" -> %v", out.Value)
	}
	return text
}

// place gives a value's place in what is encoded.
func (v *values) place(value interface{}) (C.uint64_t, error) {
	if value == nil {
		return C.BRIDGE_NIL, nil
	}
	at := C.uint64_t(len(v.data))
	return at, v.add(value)
}

// recordBuiltin puts all operations into the question.
func recordBuiltin(q *question, b *builtin, operations []Operation, lanes []uint32, notes []Annotation) error {
	if hasZero(b.name) || hasZero(b.Initial) {
		return &Error{Message: fmt.Sprintf("expected a specification and an initial value without zero bytes, found %q and %q", b.name, b.Initial)}
	}
	room := q.operations(len(operations))
	var values values
	var names names
	names.add("operation") // so that there is one
	for i := range operations {
		operation := &operations[i]
		in, isInput := operation.Input.(Input)
		out, isOutput := operation.Output.(Output)
		if !isInput || !(isOutput || operation.Output == nil) {
			return &Error{Message: fmt.Sprintf("operation %d: expected a linchpin.Input and a linchpin.Output, found %T and %T", i, operation.Input, operation.Output)}
		}
		if in.F == "" || hasZero(in.F) || hasZero(in.Object) {
			return &Error{Message: fmt.Sprintf("operation %d: expected names of an operation and an object without zero bytes, found %q and %q", i, in.F, in.Object)}
		}
		now := &room[i]
		now.called, now.returned = C.int64_t(operation.Call), C.int64_t(operation.Return)
		now.process = C.uint32_t(lanes[i])
		now.function = C.uint32_t(names.add(in.F))
		now.outcome = C.LP_OUTCOME_OK
		if out.Fail {
			now.outcome = C.LP_OUTCOME_FAIL
		} else if out.Error != "" || operation.Return == Never {
			now.outcome = C.LP_OUTCOME_UNKNOWN
		}
		if in.Object != "" {
			now.object = 1 + C.uint32_t(names.add(in.Object))
		}
		var faults [3]error
		now.argument, faults[0] = values.place(in.Value)
		now.result, faults[1] = values.place(out.Value)
		now.key, faults[2] = values.place(in.Key)
		for _, fault := range faults {
			if fault != nil {
				return &Error{Message: fmt.Sprintf("operation %d: %v", i, fault)}
			}
		}
	}
	q.notes(notes, &values)
	q.c.values = (*C.uint8_t)(q.bytes(values.data))
	q.names(names.list)
	q.spec(b)
	return nil
}

func (q *question) spec(b *builtin) {
	q.c.spec = q.text(b.name)
	if b.Initial != "" {
		q.c.initial = q.text(b.Initial)
	}
	q.c.owned, q.c.nil_reads = C.bool(b.Owned), C.bool(b.NilReads)
}

// decideBuiltin has the library decide the whole history, which it cuts into parts itself.
func (t *task) decideBuiltin() {
	if len(t.parts) == 0 {
		return
	}
	operations := t.parts[0].operations
	left := t.remaining()
	a := newAnswer(0)
	defer a.release()
	if left < 0 || !t.stop.add(a) {
		t.setVerdict(0, Unknown, nil)
		return
	}
	defer t.stop.remove(a)
	q := newQuestion()
	defer q.release()
	lanes, processes := lanesOf(operations, t.model.builtin.Owned)
	if t.err = recordBuiltin(q, t.model.builtin, operations, lanes, nil); t.err != nil {
		return
	}
	q.processes(processes)
	q.c.timeout = C.double(left)
	q.c.jobs = C.uint32_t(runtime.GOMAXPROCS(0))
	q.c.untold = C.bool(!t.verbose)
	C.bridge_check(q.c, a.c)
	t.finish(0, a, func(order []int) []int { return order })
	if t.err == nil && a.c.status == C.LP_OK {
		if t.verbose && a.c.result.verdict == C.LP_VIOLATION {
			t.info.orders[0] = partialsOf(a.c.result)
		}
	}
}

func partialsOf(result *C.lp_result) [][]int {
	var orders [][]int
	for i := 0; i < int(result.violation_count); i++ {
		violation := C.bridge_violation(result, C.size_t(i))
		for k := 0; k < int(violation.partial_count); k++ {
			partial := C.bridge_partial(violation, C.size_t(k))
			orders = append(orders, indices(partial.order, partial.order_length))
		}
	}
	return orders
}
