package linchpin

/*
#include "bridge.h"
#include <stdlib.h>
*/
import "C"

import (
	"context"
	"fmt"
	"runtime"
	"time"
	"unsafe"
)

// An Answer to an assertion about a model.
type Answer string

const (
	Holds     Answer = "holds"
	Violated  Answer = "violated"
	Undecided Answer = "unknown"
)

// A Change is what a step made of a variable.
type Change struct {
	Name, Value string
}

// A ModelStep is one of an execution. Process is a place in the outermost composition, or a thread.
type ModelStep struct {
	Event   string
	Process int
	Visible bool
	Changes []Change
}

// A Verification is what was found out about an assertion.
type Verification struct {
	Line        int
	Assertion   string
	Answer      Answer
	Reason      string // one sentence; often "" where it holds
	Method      string
	States      uint64
	Transitions uint64
	Seconds     float64
	Execution   []ModelStep // which shows a violation, or leads to the goal
	LoopStart   int         // from this step on it goes round for ever; -1: it ends
}

// Verify decides all assertions of a model in .lin or CSP#, each within the time (0: however long it
// takes), until the context ends.
func Verify(ctx context.Context, path string, timeout time.Duration) ([]Verification, error) {
	if hasZero(path) {
		return nil, &Error{Message: fmt.Sprintf("expected a path, found %q", path)}
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	a := newAnswer(0)
	defer a.release()
	t := task{ctx: ctx}
	t.stop.add(a)
	defer t.watch()()
	var model *C.lp_model
	var fault C.lp_error
	if err := errorOf(C.lp_model_read(a.c.context, name, &model, &fault), &fault); err != nil {
		return nil, err
	}
	defer C.lp_model_destroy(model)
	var list []Verification
	for i := C.size_t(0); ; i++ {
		var assertion C.lp_assertion
		if !C.lp_model_assertion_at(model, i, &assertion) {
			return list, nil
		}
		var options C.lp_verify_options
		options.size = C.sizeof_lp_verify_options
		options.timeout = C.double(timeout.Seconds())
		var result *C.lp_verification
		status := C.lp_verify(a.c.context, model, i, &options, &result, &fault)
		if result != nil && status == C.LP_OK {
			list = append(list, verificationOf(&assertion, result))
		}
		C.lp_verification_destroy(result)
		if err := errorOf(status, &fault); err != nil {
			return list, err
		}
		if ctx.Err() != nil {
			return list, ctx.Err()
		}
		runtime.KeepAlive(a)
	}
}

func verificationOf(assertion *C.lp_assertion, result *C.lp_verification) Verification {
	answers := map[C.lp_answer]Answer{C.LP_HOLDS: Holds, C.LP_VIOLATED: Violated, C.LP_UNDECIDED: Undecided}
	found := Verification{
		Line: int(assertion.line), Assertion: C.GoString(assertion.text),
		Answer: answers[result.answer], Reason: C.GoString(result.reason),
		Method: C.GoString(result.method), States: uint64(result.states),
		Transitions: uint64(result.transitions), Seconds: float64(result.seconds), LoopStart: -1,
	}
	if !result.has_execution {
		return found
	}
	for i := C.size_t(0); i < result.execution.length; i++ {
		taken := C.bridge_step(result, i)
		step := ModelStep{Event: C.GoString(taken.event), Process: int(taken.process), Visible: bool(taken.visible)}
		for k := C.size_t(0); k < taken.change_count; k++ {
			change := C.bridge_change(taken, k)
			step.Changes = append(step.Changes, Change{C.GoString(change.name), C.GoString(change.value)})
		}
		found.Execution = append(found.Execution, step)
	}
	if result.execution.is_lasso {
		found.LoopStart = int(result.execution.loop_start)
	}
	return found
}
