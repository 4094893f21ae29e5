package linchpin

import (
	"context"
	"encoding/binary"
	"sort"
	"time"
)

// Of a part that is not linearizable, one would like to know for each operation how far an order
// that contains it can go. The search of the library keeps the longest orders only, so this one
// goes depth first through orders (Wing and Gong 1993, with Lowe's memo), as long as it is worth it.

const (
	mostSteps   = 200000
	partialTime = 500 * time.Millisecond
)

type orders struct {
	model      *Model
	ctx        context.Context
	operations []Operation
	byCall     []int
	done       []bool
	first      int // in byCall: all before it are done
	states     *states
	memo       map[string]bool
	key        []byte
	trail      []int
	longest    [][]int // of each operation
	steps      int
}

// longestOrders gives the orders that are the longest for some operation; one that can be in none is
// left out.
func longestOrders(model *Model, operations []Operation) [][]int {
	ctx, cancel := context.WithTimeout(context.Background(), partialTime)
	defer cancel()
	o := &orders{model: model, ctx: ctx, operations: operations,
		byCall: make([]int, len(operations)), done: make([]bool, len(operations)),
		states: newStates(model), memo: make(map[string]bool),
		key: make([]byte, len(operations)/8+5), longest: make([][]int, len(operations))}
	for i := range o.byCall {
		o.byCall[i] = i
	}
	sort.SliceStable(o.byCall, func(i, j int) bool {
		return operations[o.byCall[i]].Call < operations[o.byCall[j]].Call
	})
	o.explore(o.states.add(model.Init(), 0, 0))
	var found [][]int
	known := make(map[*int]bool)
	for _, order := range o.longest {
		if len(order) > 0 && !known[&order[0]] {
			known[&order[0]] = true
			found = append(found, order)
		}
	}
	return found
}

// over says whether it has been long enough.
func (o *orders) over() bool {
	return o.steps > mostSteps || o.steps%64 == 0 && o.ctx.Err() != nil
}

// candidates are the operations that no other one must precede, in the order of their calls.
func (o *orders) candidates() []int {
	for o.first < len(o.byCall) && o.done[o.byCall[o.first]] {
		o.first++
	}
	var list []int
	until := Never
	for _, i := range o.byCall[o.first:] {
		operation := &o.operations[i]
		if operation.Call > until {
			break
		}
		if o.done[i] {
			continue
		}
		list = append(list, i)
		if operation.Return < until {
			until = operation.Return
		}
	}
	kept := list[:0]
	for _, i := range list {
		if o.operations[i].Call <= until {
			kept = append(kept, i)
		}
	}
	return kept
}

func (o *orders) step(state uint32, operation int) (uint32, bool) {
	o.steps++
	now := &o.operations[operation]
	possible, next := o.model.ask(o.ctx, o.states.at(state), now.Input, now.Output)
	if !possible {
		return 0, false
	}
	return o.states.add(next, state, uint32(operation)), true
}

// isNew says whether these operations have not led to this state before.
func (o *orders) isNew(state uint32) bool {
	binary.LittleEndian.PutUint32(o.key[len(o.key)-4:], state)
	if o.memo[string(o.key)] {
		return false
	}
	o.memo[string(o.key)] = true
	return true
}

func (o *orders) explore(state uint32) {
	type frame struct {
		state      uint32
		candidates []int
		next       int
		first      int
		further    bool
	}
	stack := []frame{{state: state, candidates: o.candidates(), first: o.first}}
	for len(stack) > 0 && !o.over() {
		top := &stack[len(stack)-1]
		if top.next == len(top.candidates) {
			if !top.further {
				o.keep()
			}
			o.first = top.first
			stack = stack[:len(stack)-1]
			if len(o.trail) > 0 {
				last := o.trail[len(o.trail)-1]
				o.trail = o.trail[:len(o.trail)-1]
				o.toggle(last)
			}
			continue
		}
		operation := top.candidates[top.next]
		top.next++
		next, possible := o.step(top.state, operation)
		if !possible {
			continue
		}
		top.further = true
		o.toggle(operation)
		if !o.isNew(next) {
			o.toggle(operation)
			continue
		}
		o.trail = append(o.trail, operation)
		first := o.first
		stack = append(stack, frame{state: next, candidates: o.candidates(), first: first})
	}
	o.keep()
}

func (o *orders) toggle(operation int) {
	o.done[operation] = !o.done[operation]
	o.key[operation/8] ^= 1 << (operation % 8)
}

// keep notes the order for each operation that is in no longer one.
func (o *orders) keep() {
	var order []int
	for _, operation := range o.trail {
		if len(o.longest[operation]) < len(o.trail) {
			if order == nil {
				order = append(order, o.trail...)
			}
			o.longest[operation] = order
		}
	}
}
