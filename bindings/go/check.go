package linchpin

/*
#include "bridge.h"
*/
import "C"

import (
	"context"
	"runtime"
	"runtime/cgo"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// A CheckResult is the verdict on a history.
type CheckResult string

const (
	Unknown CheckResult = "Unknown" // a limit was reached
	Ok      CheckResult = "Ok"      // the history is linearizable
	Illegal CheckResult = "Illegal" // it is not
)

// CheckOperations decides whether a history is linearizable.
//
// Like all functions of this kind it panics with what a function of the model panics with, and with
// an [*Error] where an operation is none of the specification's; [Check] returns that error.
func CheckOperations(model Model, history []Operation) bool {
	return CheckOperationsTimeout(model, history, 0) == Ok
}

// CheckOperationsTimeout does so within a time; 0: however long it takes.
func CheckOperationsTimeout(model Model, history []Operation, timeout time.Duration) CheckResult {
	task := task{model: model, operations: history, timeout: timeout}
	return task.must()
}

// CheckOperationsVerbose does, and gives what [Visualize] shows.
func CheckOperationsVerbose(model Model, history []Operation, timeout time.Duration) (CheckResult, LinearizationInfo) {
	task := task{model: model, operations: history, timeout: timeout, verbose: true}
	result := task.must()
	return result, task.info
}

// CheckEvents is CheckOperations for events.
func CheckEvents(model Model, history []Event) bool {
	return CheckEventsTimeout(model, history, 0) == Ok
}

// CheckEventsTimeout is CheckOperationsTimeout for events.
func CheckEventsTimeout(model Model, history []Event, timeout time.Duration) CheckResult {
	task := task{model: model, events: history, timeout: timeout}
	return task.must()
}

// CheckEventsVerbose is CheckOperationsVerbose for events.
func CheckEventsVerbose(model Model, history []Event, timeout time.Duration) (CheckResult, LinearizationInfo) {
	task := task{model: model, events: history, timeout: timeout, verbose: true}
	result := task.must()
	return result, task.info
}

// Check is CheckOperationsVerbose until the context ends, and returns what is wrong with the
// history or the model's specification as an error.
func Check(ctx context.Context, model Model, history []Operation) (CheckResult, LinearizationInfo, error) {
	task := task{model: model, operations: history, verbose: true, ctx: ctx}
	result, err := task.run()
	return result, task.info, err
}

// task is a history to be decided.
type task struct {
	model      Model
	operations []Operation
	events     []Event
	timeout    time.Duration
	verbose    bool // decide every part, and say how far orders come
	ctx        context.Context

	parts    []part
	deadline time.Time // zero: none
	cancel   context.CancelFunc
	stop     interrupts
	failed   failure
	results  []CheckResult // of parts: each is written by the goroutine that decides it
	mutex    sync.Mutex    // of what follows
	err      error
	info     LinearizationInfo
}

func (t *task) must() CheckResult {
	result, err := t.run()
	if err != nil {
		panic(err)
	}
	return result
}

func (t *task) run() (CheckResult, error) {
	if t.timeout > 0 {
		t.deadline = time.Now().Add(t.timeout)
	}
	if t.events != nil {
		t.parts = partsOfEvents(&t.model, t.events)
	} else {
		t.parts = partsOfOperations(&t.model, t.operations)
	}
	t.results = make([]CheckResult, len(t.parts))
	if t.verbose {
		t.info = LinearizationInfo{parts: t.parts, timeout: t.timeout, events: t.events,
			orders: make([][][]int, len(t.parts))}
	}
	finish := t.watch()
	if t.model.builtin != nil {
		t.decideBuiltin()
	} else {
		t.decideParts()
	}
	finish()
	t.failed.pass()
	if t.err != nil {
		return Unknown, t.err
	}
	result := Ok
	for _, one := range t.results {
		if one == Illegal {
			result = Illegal
		} else if one != Ok && result == Ok {
			result = Unknown
		}
	}
	if t.verbose {
		t.info.complete(&t.model, t.results)
	}
	return result, nil
}

// watch makes the context that models see, which ends when the check should. The function that it
// returns is called when the check is over.
func (t *task) watch() func() {
	if t.ctx == nil && t.model.StepContext == nil {
		return func() {}
	}
	if t.ctx == nil {
		t.ctx = context.Background()
	}
	outer := t.ctx
	if t.deadline.IsZero() {
		t.ctx, t.cancel = context.WithCancel(outer)
	} else {
		t.ctx, t.cancel = context.WithDeadline(outer, t.deadline)
	}
	if outer.Done() == nil {
		return t.cancel
	}
	over := make(chan struct{})
	var watching sync.WaitGroup
	watching.Add(1)
	go func() {
		defer watching.Done()
		select {
		case <-outer.Done():
			t.stop.stop()
		case <-over:
		}
	}()
	return func() {
		close(over)
		watching.Wait()
		t.cancel()
	}
}

// stopAll ends the work on all parts.
func (t *task) stopAll() {
	t.stop.stop()
	if t.cancel != nil {
		t.cancel()
	}
}

// ---- models in Go ----

const smallHistory = 1024 // operations that are not worth a goroutine

// Looks go on in rounds, so that an illegal part that is easy is found soon: so many steps at first,
// later a quarter of those before, and so many altogether.
const (
	firstRound = 1000
	mostLooked = 1 << 18
)

// What a look keeps between rounds is at most some 100 bytes for each step. So with many parts that
// are not easy the rounds are over early.
const mostKept = 1 << 22

// decideParts looks at all parts, and then has the library decide those that are not easy.
func (t *task) decideParts() {
	looks := make([]*look, len(t.parts))
	left := len(t.parts)
	for steps := 0; left > 0 && steps < mostLooked && steps*left <= mostKept; {
		round := firstRound + steps/4
		t.each(func(i int) {
			if t.results[i] == lookUndecided && !t.isOver() {
				if steps == 0 {
					e := newEngine(&t.model, t.ctx, newClasses(len(t.parts[i].operations)), &t.failed)
					looks[i] = newLook(e, t.parts[i].operations, t.isOver)
				}
				t.lookFurther(i, &looks[i], round)
			}
		})
		steps += round
		left = 0
		for i := range looks {
			if looks[i] != nil && !t.isOver() {
				left++
			}
		}
	}
	looks = nil
	t.each(func(i int) {
		if t.results[i] == lookUndecided {
			t.decidePart(i)
		}
	})
}

// lookFurther goes on with a look, which is nil once it is over.
func (t *task) lookFurther(part int, at **look, steps int) {
	if *at == nil {
		return
	}
	switch result := (*at).more(steps); result {
	case lookUndecided:
		return
	case Ok:
		t.setVerdict(part, Ok, (*at).order())
	default:
		t.setVerdict(part, result, nil)
	}
	*at = nil
}

// each has goroutines do something about each part. (The library's own threads would do, but calls
// from a thread that Go has not made are slow.)
func (t *task) each(decide func(part int)) {
	workers, total := runtime.GOMAXPROCS(0), 0
	for i := range t.parts {
		total += len(t.parts[i].operations)
	}
	if total < smallHistory {
		workers = 1
	}
	if t.model.StepContext != nil { // they may wait for one another
		workers = 256
	}
	if len(t.parts) < workers {
		workers = len(t.parts)
	}
	if workers <= 1 {
		for i := range t.parts {
			decide(i)
		}
		return
	}
	var next int64
	var done sync.WaitGroup
	for i := 0; i < workers; i++ {
		done.Add(1)
		go func() {
			defer done.Done()
			for part := atomic.AddInt64(&next, 1); part <= int64(len(t.parts)); part = atomic.AddInt64(&next, 1) {
				decide(int(part - 1))
			}
		}()
	}
	done.Wait()
}

// isOver says whether nobody needs an answer any more.
func (t *task) isOver() bool {
	if t.stop.isStopped() || t.ctx != nil && t.ctx.Err() != nil {
		return true
	}
	return !t.deadline.IsZero() && time.Now().After(t.deadline)
}

// remaining is the time that is left, in seconds; 0: there is no limit, negative: none is left.
func (t *task) remaining() float64 {
	if t.deadline.IsZero() {
		return 0
	}
	if left := time.Until(t.deadline).Seconds(); left > 0 {
		return left
	}
	return -1
}

// setVerdict notes the verdict on a part.
func (t *task) setVerdict(part int, verdict CheckResult, order []int) {
	t.results[part] = verdict
	if t.verbose && verdict == Ok {
		t.info.orders[part] = [][]int{order}
	}
	if verdict == Illegal && !t.verbose {
		t.stopAll()
	}
}

// decidePart has the library decide, which calls the model back. Where many operations return last they
// are pending to it at first: if there is no order of the others with some of them, there is none, and if all
// that are missing can follow an order it is one of the part. Else it is asked again, without those that cannot.
func (t *task) decidePart(i int) {
	late := lateOf(t.parts[i].operations)
	for t.results[i] == lookUndecided {
		if len(late) < lateMany {
			late = nil
		}
		late = t.decideWithin(i, late)
	}
}

// decideWithin has the library decide with these operations pending. It leaves the verdict open if not all that are
// missing can follow, and gives those that may.
func (t *task) decideWithin(i int, late []int) (rest []int) {
	if t.isOver() {
		t.setVerdict(i, Unknown, nil)
		return
	}
	left := t.remaining()
	a := newAnswer(0)
	defer a.release()
	if left < 0 || !t.stop.add(a) {
		t.setVerdict(i, Unknown, nil)
		return
	}
	defer t.stop.remove(a)
	operations := t.parts[i].operations
	classes := newClasses(len(operations))
	e := newEngine(&t.model, t.ctx, classes, &t.failed)
	handle := cgo.NewHandle(e)
	defer handle.Delete()
	q := newQuestion()
	defer q.release()
	room := q.operations(len(operations))
	numbers := make([]uint32, len(operations))
	for k := range operations {
		operation, now := &operations[k], &room[k]
		numbers[k] = classes.add(operation.Input, operation.Output)
		now.called, now.returned = C.int64_t(operation.Call), C.int64_t(operation.Return)
		now.argument = C.uint64_t(numbers[k])
		now.result, now.key = C.BRIDGE_NIL, C.BRIDGE_NIL
		now.process = C.uint32_t(k) // each has its own, since those of one client may touch
	}
	for _, k := range late {
		room[k].outcome = C.LP_OUTCOME_UNKNOWN
	}
	q.names([]string{"operation"})
	q.c.model.handle = C.uintptr_t(handle)
	q.c.method = C.LP_METHOD_SEARCH
	q.c.timeout = C.double(left)
	q.c.jobs = 1
	q.c.untold = true
	C.bridge_check(q.c, a.c)
	t.finish(i, a, func(order []int) (whole []int) {
		whole, rest = followed(e, numbers, order, late)
		return whole
	})
	return rest
}

// finish takes the answer; `complete` gives a whole order, or nil.
func (t *task) finish(part int, a *answer, complete func(order []int) []int) {
	if a.c.status == C.LP_LIMIT {
		t.setVerdict(part, Unknown, nil)
		return
	}
	if err := errorOf(a.c.status, &a.c.error); err != nil {
		t.mutex.Lock()
		t.err = err
		t.mutex.Unlock()
		t.stopAll()
		return
	}
	if t.failed.is() {
		t.stopAll()
	}
	verdict, order := verdictOf(a.c.result.verdict), []int(nil)
	if verdict == Ok {
		order = indices(a.c.result.linearization, a.c.result.linearization_length)
		if order = complete(order); order == nil {
			return
		}
	}
	t.setVerdict(part, verdict, order)
}

func verdictOf(verdict C.lp_verdict) CheckResult {
	switch verdict {
	case C.LP_LINEARIZABLE:
		return Ok
	case C.LP_VIOLATION:
		return Illegal
	}
	return Unknown
}

func indices(first *C.uint32_t, length C.size_t) []int {
	list := make([]int, length)
	if length > 0 {
		for i, index := range (*[1 << 28]C.uint32_t)(unsafe.Pointer(first))[:length:length] {
			list[i] = int(index)
		}
	}
	return list
}
