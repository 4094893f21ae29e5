package linchpin

/*
#include "bridge.h"
#include <stdlib.h>
*/
import "C"

import (
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"
	"unsafe"
)

// A History that was read from a file. It may be checked by several goroutines at once.
type History struct {
	history *C.lp_history
	shared  *sharedContext
}

// sharedContext is that of the histories of one file and of the reports on them; who is the last to
// leave it destroys it.
type sharedContext struct {
	context *C.lp_context
	mutex   sync.Mutex
	users   int
}

func (s *sharedContext) join() {
	s.mutex.Lock()
	s.users++
	s.mutex.Unlock()
}

func (s *sharedContext) leave() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.users--; s.users == 0 {
		C.lp_context_destroy(s.context)
	}
}

// ReadHistories reads all histories that a path stands for, in any format that linchpin knows: a
// file, a folder (a Jepsen store, etcd reports), or "-", standard input; gzip and zstd are unpacked.
func ReadHistories(path string) ([]*History, error) {
	if hasZero(path) {
		return nil, &Error{Message: fmt.Sprintf("expected a path, found %q", path)}
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	c := C.lp_context_create(0)
	var found **C.lp_history
	var count C.size_t
	var fault C.lp_error
	if err := errorOf(C.lp_history_read(c, name, nil, &found, &count, &fault), &fault); err != nil {
		C.lp_context_destroy(c)
		return nil, err
	}
	defer C.free(unsafe.Pointer(found))
	shared := &sharedContext{context: c, users: int(count)}
	var list []*History
	if count == 0 {
		C.lp_context_destroy(c)
		return nil, nil
	}
	for _, one := range (*[1 << 24]*C.lp_history)(unsafe.Pointer(found))[:count:count] {
		history := &History{one, shared}
		runtime.SetFinalizer(history, (*History).Close)
		list = append(list, history)
	}
	return list, nil
}

// Close gives the memory back when nothing uses the history any more; else that happens when nothing
// refers to it.
func (h *History) Close() error {
	if h.history == nil {
		return nil
	}
	runtime.SetFinalizer(h, nil)
	C.lp_history_destroy(h.history)
	h.history = nil
	h.shared.leave()
	return nil
}

// Name is the path, with #NAME behind it where a file holds several histories.
func (h *History) Name() string {
	return C.GoString(C.lp_history_name(h.history))
}

// Operations is the number of calls by clients.
func (h *History) Operations() int {
	return int(C.lp_history_length(h.history))
}

// CheckOptions of [History.Check].
type CheckOptions struct {
	Timeout     time.Duration // 0: none
	Independent bool          // values are [key value]: each key is an object of its own
	All         bool          // find every violating part, not only the first
	VerdictOnly bool          // no cores, contexts and sentences
}

// A Violation is a part of a history that has no linearization.
type Violation struct {
	Object string // "" unless the history has several
	Key    string // in EDN; "" where the object is not split by key
	Reason string
	// Core is a set of operations that is a violation by itself: all others may be taken for
	// operations that nobody knows anything of.
	Core         []int
	CoreComplete bool // no smaller set is
	Context      []int
	Partials     [][]int // the longest legal orders that were found
}

// A Report says what was found out about a history. Operations are named by their place in it.
type Report struct {
	Verdict       CheckResult
	Reason        string // one sentence; "" where it is linearizable
	Spec, Method  string
	Operations    int
	Pending       int // operations that may or may not have happened
	Parts         int
	Seconds       float64
	Linearization []int
	Violations    []Violation
	Warnings      []string
	answer        *answer
	history       *History
}

// Check decides with a specification of [Specification] (or [Queue], [Map], ...); with the zero
// Model the one that the history calls for. The model must not be one in Go.
func (h *History) Check(spec Model, options CheckOptions) (*Report, error) {
	if spec.builtin == nil && (spec.Init != nil || spec.Step != nil || spec.StepContext != nil) {
		return nil, &Error{Message: "expected a specification of the library for a history in a file, found a model in Go"}
	}
	// The values are those of the history's context, so that the answer belongs there too.
	a := &answer{(*C.bridge_answer)(C.calloc(1, C.sizeof_bridge_answer))}
	a.c.context = h.shared.context
	q := newQuestion()
	defer q.release()
	if spec.builtin != nil {
		q.spec(spec.builtin)
	}
	q.names(nil)
	q.c.timeout = C.double(options.Timeout.Seconds())
	q.c.jobs = C.uint32_t(runtime.GOMAXPROCS(0))
	q.c.independent, q.c.all = C.bool(options.Independent), C.bool(options.All)
	q.c.untold = C.bool(options.VerdictOnly)
	C.bridge_check_history(h.history, q.c, a.c)
	runtime.KeepAlive(h)
	if err := errorOf(a.c.status, &a.c.error); err != nil {
		a.c.context = nil
		a.release()
		return nil, err
	}
	report := reportOf(a.c.result)
	report.answer, report.history = a, h
	h.shared.join()
	runtime.SetFinalizer(report, (*Report).release)
	return report, nil
}

func (r *Report) release() {
	r.answer.c.context = nil // the history's
	r.answer.release()
	r.history.shared.leave()
}

func reportOf(result *C.lp_result) *Report {
	report := &Report{
		Verdict: verdictOf(result.verdict), Reason: C.GoString(result.reason),
		Spec: C.GoString(result.spec), Method: C.GoString(result.method),
		Operations: int(result.operations), Pending: int(result.pending),
		Parts: int(result.parts), Seconds: float64(result.seconds),
	}
	if result.verdict == C.LP_LINEARIZABLE {
		report.Linearization = indices(result.linearization, result.linearization_length)
	}
	for i := C.size_t(0); i < result.violation_count; i++ {
		found := C.bridge_violation(result, i)
		violation := Violation{
			Object: C.GoString(found.object), Reason: C.GoString(found.reason),
			Core: indices(found.core, found.core_length), CoreComplete: bool(found.core_complete),
			Context: indices(found.context, found.context_length),
		}
		if found.has_key {
			key := C.lp_value_to_edn(found.key)
			violation.Key = C.GoString(key)
			C.free(unsafe.Pointer(key))
		}
		for k := C.size_t(0); k < found.partial_count; k++ {
			partial := C.bridge_partial(found, k)
			violation.Partials = append(violation.Partials, indices(partial.order, partial.order_length))
		}
		report.Violations = append(report.Violations, violation)
	}
	for i := C.size_t(0); i < result.warning_count; i++ {
		report.Warnings = append(report.Warnings, C.GoString(C.bridge_warning(result, i).message))
	}
	return report
}

// WriteHTML writes linchpin's page for a browser. The history must not be closed.
func (r *Report) WriteHTML(output io.Writer) error {
	page, err := r.answer.page(r.history.history)
	if err == nil {
		_, err = output.Write(page)
	}
	runtime.KeepAlive(r)
	return err
}
