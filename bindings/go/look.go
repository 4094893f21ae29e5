package linchpin

import (
	"math"
	"math/bits"
	"sort"
)

// The search for an order of a part in Go, which nearly all parts are decided by: a step in Go
// costs less than a call of the library. What is left after so many steps is the library's.
//
// It is a search as the library's (docs/internals/search.md), without what that knows of
// specifications. The operation that returns first, of those that have not taken effect, is due: it
// takes effect next but for some that run meanwhile. Which ones is tried by their number, none, one,
// two, ...: a queue of configurations for each due operation, each once.
//
// Reads take effect as soon as they are possible. A read is what has left every state as it was so
// far, and that is a guess: a write of what is there looks the same. So before there is said to be
// no order the guess is put to the test: each read is tried in every state that was met where it
// could be put off to. If all of them leave these states as they are, any order becomes one that the
// search goes through when its reads are moved forward, so there is none. Otherwise the search
// begins again, with fewer reads.
//
// States that are texts may be hopeless (hints.go). They count as one at first, for what becomes of them is
// mostly the same. That is a guess as well; where it left something out and there is no order, the search begins
// again without it. So is what is thought of operations that return last (late.go).
//
// A configuration is (which operation is due, a bit for each operation that runs then, state).

const (
	lookMost      = 1 << 16 // operations
	lookRestarts  = 3       // then nothing is taken for a read
	lookHintsFrom = 64      // operations; fewer are decided before hints are made
	lookUndecided = CheckResult("")
)

// configuration is where the search is: all operations that return before the due one have taken
// effect, and of those that run when it returns the ones whose slots are in the mask.
type configuration struct {
	mask  uint64
	state uint32
	due   uint32 // in the order of returns
}

// node is a configuration with the operation that led to it.
type node struct {
	configuration
	alike     uint32 // the state; 0 where all hopeless ones count as one
	parent    int32
	operation uint32 // in the order of calls
}

// queues are nodes to be gone on with, the hopeful ones first.
type queues [2][]int32

func (q *queues) push(at int32, hopeful bool) {
	which := 1
	if hopeful {
		which = 0
	}
	q[which] = append(q[which], at)
}

// pop takes a node out of the hopeful ones (0) or the others (1); -1: there is none.
func (q *queues) pop(which int) int32 {
	if len(q[which]) == 0 {
		return -1
	}
	at := q[which][0]
	q[which] = q[which][1:]
	return at
}

// turn is that of a due operation: the nodes in which it has not taken effect, nearest first.
type turn struct {
	due   uint32 // in the order of calls
	nodes []int32
	tried int    // of so many it is known whether the due operation can come next
	open  queues // of these it is not known what else can
	exits queues // nodes in which it has taken effect
}

type look struct {
	engine    *engine
	calls     []Operation // in the order of calls
	index     []int       // their places in the part
	classes   []uint32
	byReturn  []uint32
	slots     []uint8
	running   [][]uint32 // for each due operation those that run when it returns, itself among them
	hints     *hints
	hintsFrom int
	hopeful   []int8 // of states, what the hints say: 1 yes, -1 no, 0 not asked yet

	writes     []bool // of classes: it has changed a state
	moved      []bool // of classes: it has taken effect as a read
	restarts   int
	hinted     bool // hopeless states count as one, and
	omitted    bool // something was left out because of that
	exhausted  bool // what is left to do is to test the guess
	steps      *stepTable
	late       late
	seen       *nodeTable
	nodes      []node
	turns      []turn
	found      int32
	done       []uint32 // room for testReadsAt, which goes by
	firstCalls []int64  // of operations or of others that do the same
	left       int      // steps and configurations
	over       func() bool
}

// newLook prepares the search; nil: the part is the library's. `over` says when it should stop.
func newLook(e *engine, operations []Operation, over func() bool) *look {
	if len(operations) > lookMost {
		return nil
	}
	l := &look{engine: e, calls: operations, steps: newStepTable(), over: over,
		hintsFrom: lookHintsFrom}
	l.sort()
	l.classes = make([]uint32, len(operations))
	for i := range l.calls {
		if l.calls[i].Return < l.calls[i].Call {
			return nil // the library says what is wrong
		}
		l.classes[i] = e.classes.add(l.calls[i].Input, l.calls[i].Output)
	}
	l.turns = make([]turn, 0, 16)
	l.writes, l.moved = make([]bool, len(e.classes.members)), make([]bool, len(e.classes.members))
	if !l.overlap() {
		return nil
	}
	l.prepareLate()
	return l
}

func (l *look) sort() {
	l.index = make([]int, len(l.calls))
	for i := range l.index {
		l.index[i] = i
	}
	given := l.calls
	if sort.SliceIsSorted(given, func(i, j int) bool { return given[i].Call < given[j].Call }) {
		return
	}
	sort.SliceStable(l.index, func(i, j int) bool { return given[l.index[i]].Call < given[l.index[j]].Call })
	l.calls = make([]Operation, len(given))
	for i, place := range l.index {
		l.calls[i] = given[place]
	}
}

// overlap finds what runs when each operation returns, and gives those that do different slots;
// false: there are not enough.
func (l *look) overlap() bool {
	l.byReturn = make([]uint32, len(l.calls))
	for i := range l.byReturn {
		l.byReturn[i] = uint32(i)
	}
	sort.SliceStable(l.byReturn, func(i, j int) bool {
		return l.calls[l.byReturn[i]].Return < l.calls[l.byReturn[j]].Return
	})
	l.slots = make([]uint8, len(l.calls))
	l.running = make([][]uint32, len(l.calls))
	var lists, now []uint32
	var used uint64
	called, returned := 0, 0
	for rank, due := range l.byReturn {
		for ; called < len(l.calls) && l.calls[called].Call <= l.calls[due].Return; called++ {
			for ; l.calls[l.byReturn[returned]].Return < l.calls[called].Call; returned++ {
				used &^= 1 << l.slots[l.byReturn[returned]]
			}
			slot := bits.TrailingZeros64(^used)
			if slot == 64 {
				return false
			}
			l.slots[called] = uint8(slot)
			used |= 1 << slot
			now = append(now, uint32(called))
		}
		begin := len(lists)
		lists = append(lists, now...)
		l.running[rank] = lists[begin:len(lists):len(lists)]
		for i, operation := range now {
			if operation == due {
				now = append(now[:i], now[i+1:]...)
				break
			}
		}
	}
	return true
}

// isDone says whether an operation that runs has taken effect.
func (l *look) isDone(c *configuration, operation uint32) bool {
	return c.mask>>l.slots[operation]&1 != 0
}

// take lets an operation take effect.
func (l *look) take(c *configuration, operation uint32) {
	c.mask |= 1 << l.slots[operation]
	for int(c.due) < len(l.byReturn) && l.isDone(c, l.byReturn[c.due]) {
		c.mask &^= 1 << l.slots[l.byReturn[c.due]]
		c.due++
	}
}

// step gives the state after an operation, 0 if it is not possible.
func (l *look) step(state, operation uint32) uint32 {
	class := l.classes[operation]
	key := uint64(state)<<32 | uint64(class)
	next, found := l.steps.find(key)
	if !found {
		next = l.engine.step(state, class)
		l.steps.add(key, next)
		l.left--
		l.writes[class] = l.writes[class] || next != 0 && next != state
		l.late.refused[class] = l.late.refused[class] || next == 0
	}
	return next
}

// settle lets reads take effect.
func (l *look) settle(at int32) int32 {
	c := l.nodes[at].configuration
	for again := l.restarts < lookRestarts; again && int(c.due) < len(l.calls); {
		again = false
		due := c.due
		for _, operation := range l.running[due] {
			if l.isDone(&c, operation) || l.writes[l.classes[operation]] || l.waits(due, operation) ||
				l.step(c.state, operation) != c.state {
				continue
			}
			l.moved[l.classes[operation]] = true
			l.take(&c, operation)
			l.push(node{c, l.nodes[at].alike, at, operation})
			at = int32(len(l.nodes) - 1)
			if c.due != due {
				again = true
				break
			}
		}
	}
	return at
}

func (l *look) push(n node) {
	if len(l.nodes) == cap(l.nodes) { // append alone would copy more often
		l.nodes = append(make([]node, 0, 2*len(l.nodes)+8), l.nodes...)
	}
	l.nodes = append(l.nodes, n)
}

// add makes a node of a configuration; -1 if it is known.
func (l *look) add(c configuration, parent int32, operation uint32) int32 {
	length := len(l.nodes)
	l.push(node{c, l.alike(c.state), parent, operation})
	at := l.settle(int32(length))
	l.left--
	if l.isDominated(&l.nodes[at]) || !l.seen.add(l.nodes, at) {
		l.omitted = l.omitted || l.nodes[at].alike == 0
		l.nodes = l.nodes[:length]
		return -1
	}
	return at
}

// goesFirst says whether one of two operations that do the same has to.
func (l *look) goesFirst(one, other uint32) bool {
	a, b := l.calls[one].Return, l.calls[other].Return
	if a == b || l.isLate(one) && l.isLate(other) {
		return one < other
	}
	return a < b
}

// hasElder says whether an operation that does the same has to go first.
func (l *look) hasElder(c *configuration, operation uint32) bool {
	for _, other := range l.running[c.due] {
		if other != operation && l.classes[other] == l.classes[operation] && !l.isDone(c, other) {
			if l.goesFirst(other, operation) {
				return true
			}
		}
	}
	return false
}

// isHopeful says whether a state is worth trying first.
func (l *look) isHopeful(state uint32) bool {
	if l.hints == nil {
		return true
	}
	for len(l.hopeful) <= int(state) {
		l.hopeful = append(l.hopeful, 0)
	}
	if l.hopeful[state] == 0 {
		l.hopeful[state] = -1
		if l.hints.isHopeful(l.engine.states.at(state)) {
			l.hopeful[state] = 1
		}
	}
	return l.hopeful[state] > 0
}

// alike gives the state, or 0 for all hopeless ones.
func (l *look) alike(state uint32) uint32 {
	if l.hinted && !l.isHopeful(state) {
		return 0
	}
	return state
}

// reach adds the configuration that an operation leads to, if it can come next.
func (l *look) reach(top *turn, at int32, operation uint32) {
	c := l.nodes[at].configuration
	next := l.step(c.state, operation)
	if next == 0 {
		if c.due >= l.late.from {
			l.late.needed[l.classes[operation]] = true
		}
		return
	}
	before := c.due
	c.state = next
	l.take(&c, operation)
	place := l.add(c, at, operation)
	switch {
	case place < 0:
	case l.nodes[place].due != before:
		top.exits.push(place, l.isHopeful(next))
	default:
		top.nodes = append(top.nodes, place)
		top.open.push(place, l.isHopeful(next))
	}
}

// expand adds what other operations than the due one lead to.
func (l *look) expand(top *turn, at int32) {
	c := l.nodes[at].configuration
	for _, operation := range l.running[c.due] {
		if operation != top.due && !l.isDone(&c, operation) && !l.hasElder(&c, operation) {
			l.reach(top, at, operation)
		}
	}
}

// begin opens the turn of the operation that is due; true if there is none.
func (l *look) begin(at int32) bool {
	c := &l.nodes[at].configuration
	if int(c.due) == len(l.calls) {
		l.found = at
		return true
	}
	next := turn{due: l.byReturn[c.due], nodes: []int32{at}}
	next.open.push(at, l.isHopeful(c.state))
	l.turns = append(l.turns, next)
	return false
}

// start begins the search; true if it is over already.
func (l *look) start() bool {
	initial := l.engine.init()
	if l.nodes == nil && len(l.calls) >= l.hintsFrom {
		l.hints = newHints(l.engine.states.at(initial), l.calls)
		l.hinted = l.hints != nil
	}
	l.seen, l.nodes, l.turns = newNodeTable(), l.nodes[:0], l.turns[:0]
	return l.begin(l.add(configuration{state: initial}, -1, 0))
}

// search goes on until an order is found (true), or there is none, or it has been long enough.
func (l *look) search() bool {
	if l.seen == nil && l.start() {
		return true
	}
	for rounds := 1; len(l.turns) > 0 && l.left >= 0; rounds++ {
		if rounds%64 == 0 && l.over() {
			break
		}
		top := &l.turns[len(l.turns)-1]
		if at := top.exits.pop(0); at >= 0 {
			if l.begin(at) {
				return true
			}
		} else if top.tried < len(top.nodes) {
			top.tried++
			l.reach(top, top.nodes[top.tried-1], top.due)
		} else if at := top.open.pop(0); at >= 0 {
			l.expand(top, at)
		} else if at := top.exits.pop(1); at >= 0 {
			if l.begin(at) {
				return true
			}
		} else if at := top.open.pop(1); at >= 0 {
			l.expand(top, at)
		} else {
			l.turns = l.turns[:len(l.turns)-1]
		}
	}
	return false
}

// testReads tries reads in all states that they could be put off to; false: one of them is none.
func (l *look) testReads() bool {
	l.firstCalls = l.callsOfAlike()
	lastWrite := l.lastWrites()
	for i := range l.nodes {
		at := &l.nodes[i]
		if l.left < 0 || i%64 == 63 && l.over() {
			break
		}
		if at.parent < 0 || l.nodes[at.parent].state == at.state {
			continue // its reads have been tried in this state
		}
		l.testReadsAt(&at.configuration, lastWrite[at.due])
	}
	for class := range l.moved {
		if l.moved[class] && l.writes[class] {
			return false
		}
	}
	return true
}

// callsOfAlike gives, for each operation, the first call of those that do the same and return later:
// where the search has the one, orders may have the other.
func (l *look) callsOfAlike() []int64 {
	firsts := make([]int64, len(l.calls))
	ofClasses := make(map[uint32]int64)
	for rank := len(l.byReturn) - 1; rank >= 0; rank-- {
		operation := l.byReturn[rank]
		first, found := ofClasses[l.classes[operation]]
		if call := l.calls[operation].Call; !found || call < first {
			first = call
			ofClasses[l.classes[operation]] = first
		}
		firsts[operation] = first
	}
	return firsts
}

// lastWrites gives, for each due operation, the last call of the writes that have returned.
func (l *look) lastWrites() []int64 {
	last := make([]int64, len(l.byReturn)+1)
	last[0] = math.MinInt64
	for rank, operation := range l.byReturn {
		last[rank+1] = last[rank]
		if call := l.firstCalls[operation]; l.writes[l.classes[operation]] && call > last[rank] {
			last[rank+1] = call
		}
	}
	return last
}

// testReadsAt tries the reads that could be put off to a configuration: they return after all of
// its writes are called, or others that do the same.
func (l *look) testReadsAt(c *configuration, lastWrite int64) {
	done := l.done[:0] // first of those that run
	if int(c.due) < len(l.running) {
		for _, operation := range l.running[c.due] {
			if !l.isDone(c, operation) {
				continue
			}
			done = append(done, operation)
			if call := l.firstCalls[operation]; l.writes[l.classes[operation]] && call > lastWrite {
				lastWrite = call
			}
		}
	}
	for rank := int(c.due) - 1; rank >= 0 && l.calls[l.byReturn[rank]].Return >= lastWrite; rank-- {
		done = append(done, l.byReturn[rank])
	}
	l.done = done
	for _, operation := range done {
		if !l.writes[l.classes[operation]] && l.calls[operation].Return >= lastWrite {
			l.step(c.state, operation)
		}
	}
}

// again begins the search again, with what is known of writes by now.
func (l *look) again() {
	for class := range l.moved {
		l.moved[class] = false
	}
	l.late.begin()
	l.seen, l.exhausted, l.omitted = nil, false, false
}

// more goes on for so many steps and configurations. After Ok there is an order.
func (l *look) more(budget int) (result CheckResult) {
	defer func() {
		if value := recover(); value != nil {
			l.engine.failed.set(value)
			result = Unknown
		}
	}()
	for l.left = budget; ; l.again() {
		if !l.exhausted && l.search() {
			return Ok
		}
		l.exhausted = len(l.turns) == 0
		if l.left < 0 || !l.exhausted {
			return lookUndecided
		}
		if l.omitted {
			l.hinted, l.hints = false, nil
		} else if l.late.isWrong() {
			l.late.restarts++
		} else if l.testReads() {
			break
		} else {
			l.restarts++
		}
	}
	if l.left < 0 || l.over() {
		return lookUndecided
	}
	return Illegal
}

// order gives the linearization that was found.
func (l *look) order() []int {
	var order []int
	for at := l.found; l.nodes[at].parent >= 0; at = l.nodes[at].parent {
		order = append(order, l.index[l.nodes[at].operation])
	}
	for i, k := 0, len(order)-1; i < k; i, k = i+1, k-1 {
		order[i], order[k] = order[k], order[i]
	}
	return order
}
