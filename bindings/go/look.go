package linchpin

import (
	"math/bits"
	"sort"
)

// A first look at a part, in Go: most parts are decided by few steps, and then a call of the library
// would cost more than they do. What is left after so many steps is the library's.
//
// It is a search as the library's (docs/internals/search.md), without what that knows of
// specifications. The operation that returns first, of those that have not taken effect, is due: it
// takes effect next but for some that run meanwhile. Which ones is tried by their number, none, one,
// two, ...: a queue of configurations for each due operation, each once.
//
// At first operations that leave the state as it is take effect as soon as they may. That finds
// orders of reads soon, and is a guess: what writes the value that is there should perhaps come
// later. So if it finds none, all is tried again without it, and only then there is none.
//
// A configuration is (how many operations in the order of calls have all taken effect, a bit for
// each of the 64 behind them, state). More are never needed unless an operation runs very long;
// then there is no first look.

const (
	lookSteps     = 2000 // steps and configurations, and
	lookStepsEach = 50   // for each operation
	lookWindow    = 64
	lookMost      = 1 << 16 // operations
	lookUndecided = CheckResult("")
)

// configuration is where the search is.
type configuration struct {
	state uint32
	first uint32 // in the order of calls
	mask  uint64 // of those from there on
}

func (c *configuration) isDone(operation uint32) bool {
	return operation < c.first || c.mask>>(operation-c.first)&1 != 0
}

// take lets an operation take effect.
func (c *configuration) take(operation uint32) {
	c.mask |= 1 << (operation - c.first)
	done := bits.TrailingZeros64(^c.mask)
	c.first += uint32(done)
	c.mask >>= uint(done)
}

// node is a configuration with the operation that led to it.
type node struct {
	configuration
	parent    int32
	operation uint32 // in the order of calls
}

// turn is that of a due operation: the nodes in which it has not taken effect, nearest first.
type turn struct {
	due      uint32
	nodes    []int32
	tried    int     // of so many it is known whether the due operation can come next
	expanded int     // and of so many, what else can
	exits    []int32 // nodes in which it has taken effect, to be gone on with
}

type look struct {
	engine  *engine
	calls   []Operation // in the order of calls
	index   []int       // their places in the part
	classes []uint32
	writes  []bool // of classes: it has changed a state
	hasty   bool   // what leaves the state as it is takes effect at once
	guessed bool   // and something did
	steps   map[uint64]uint32
	seen    map[configuration]bool
	nodes   []node
	turns   []turn
	left    int // steps and configurations
	over    func() bool
}

// lookAt decides a part if that is easy; `over` says when it should stop. `order` is a linearization.
func lookAt(e *engine, operations []Operation, over func() bool) (result CheckResult, order []int) {
	if len(operations) > lookMost {
		return lookUndecided, nil
	}
	defer func() {
		if value := recover(); value != nil {
			e.failed.set(value)
			result, order = Unknown, nil
		}
	}()
	l := &look{engine: e, calls: operations, steps: make(map[uint64]uint32, len(operations)),
		seen: make(map[configuration]bool, len(operations)), over: over,
		left: lookSteps + lookStepsEach*len(operations)}
	l.sort()
	l.classes = make([]uint32, len(operations))
	for i := range l.calls {
		if l.calls[i].Return < l.calls[i].Call {
			return lookUndecided, nil // the library says what is wrong
		}
		l.classes[i] = e.classes.add(l.calls[i].Input, l.calls[i].Output)
	}
	l.writes = make([]bool, len(e.classes.members))
	l.hasty = true
	found := l.search()
	if found < 0 && l.guessed && l.left >= 0 {
		l.hasty, l.nodes, l.turns = false, nil, nil
		l.seen = make(map[configuration]bool, len(operations))
		found = l.search()
	}
	if l.left < 0 || over() {
		return lookUndecided, nil
	}
	if found < 0 {
		return Illegal, nil
	}
	return Ok, l.order(found)
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

// step gives the state after an operation, 0 if it is not possible.
func (l *look) step(state, operation uint32) uint32 {
	class := l.classes[operation]
	key := uint64(state)<<32 | uint64(class)
	next, found := l.steps[key]
	if !found {
		next = l.engine.step(state, class)
		l.steps[key] = next
		l.left--
		l.writes[class] = l.writes[class] || next != 0 && next != state
	}
	return next
}

// running gives the due operation, and the one behind those that are called until it returns.
func (l *look) running(c *configuration) (due, behind uint32) {
	due, behind = c.first, c.first+1
	for int(behind) < len(l.calls) && l.calls[behind].Call <= l.calls[due].Return {
		if behind-c.first >= lookWindow {
			l.left = -1 // this is for the library
			break
		}
		if !c.isDone(behind) && l.calls[behind].Return < l.calls[due].Return {
			due = behind
		}
		behind++
	}
	return due, behind
}

// settle lets operations take effect that change nothing.
func (l *look) settle(at int32) int32 {
	c := l.nodes[at].configuration
	for again := l.hasty; again && int(c.first) < len(l.calls); {
		again = false
		_, behind := l.running(&c)
		for other := c.first; other < behind && l.left >= 0; other++ {
			if !c.isDone(other) && !l.writes[l.classes[other]] && l.step(c.state, other) == c.state {
				c.take(other)
				l.guessed = true
				l.nodes = append(l.nodes, node{c, at, other})
				at = int32(len(l.nodes) - 1)
				again = true
				if other < c.first {
					break
				}
			}
		}
	}
	return at
}

// add makes a node of a configuration; -1 if it is known.
func (l *look) add(c configuration, parent int32, operation uint32) int32 {
	length := len(l.nodes)
	l.nodes = append(l.nodes, node{c, parent, operation})
	at := l.settle(int32(length))
	l.left--
	if l.seen[l.nodes[at].configuration] {
		l.nodes = l.nodes[:length]
		return -1
	}
	l.seen[l.nodes[at].configuration] = true
	return at
}

// hasElder says whether an operation that does the same has to go first.
func (l *look) hasElder(c *configuration, operation, behind uint32) bool {
	for other := c.first; other < behind; other++ {
		if other != operation && l.classes[other] == l.classes[operation] && !c.isDone(other) {
			a, b := l.calls[other].Return, l.calls[operation].Return
			if a < b || a == b && other < operation {
				return true
			}
		}
	}
	return false
}

// reach adds the configuration that an operation leads to, if it can come next.
func (l *look) reach(top *turn, at int32, operation uint32) {
	c := l.nodes[at].configuration
	next := l.step(c.state, operation)
	if next == 0 {
		return
	}
	c.state = next
	c.take(operation)
	if place := l.add(c, at, operation); place < 0 {
		return
	} else if l.nodes[place].isDone(top.due) {
		top.exits = append(top.exits, place)
	} else {
		top.nodes = append(top.nodes, place)
	}
}

// begin opens the turn of the operation that is due; true if there is none.
func (l *look) begin(at int32) bool {
	c := &l.nodes[at].configuration
	if int(c.first) == len(l.calls) {
		return true
	}
	due, _ := l.running(c)
	l.turns = append(l.turns, turn{due: due, nodes: []int32{at}})
	return false
}

// search gives the node in which all have taken effect; -1: there is none, or it was not found.
func (l *look) search() int32 {
	root := l.add(configuration{state: l.engine.init()}, -1, 0)
	if l.begin(root) {
		return root
	}
	for rounds := 0; len(l.turns) > 0 && l.left >= 0; rounds++ {
		if rounds%64 == 63 && l.over() {
			return -1
		}
		top := &l.turns[len(l.turns)-1]
		switch {
		case len(top.exits) > 0:
			at := top.exits[0]
			top.exits = top.exits[1:]
			if l.begin(at) {
				return at
			}
		case top.tried < len(top.nodes):
			top.tried++
			l.reach(top, top.nodes[top.tried-1], top.due)
		case top.expanded < len(top.nodes):
			top.expanded++
			at := top.nodes[top.expanded-1]
			c := l.nodes[at].configuration
			_, behind := l.running(&c)
			for operation := c.first; operation < behind && l.left >= 0; operation++ {
				if operation != top.due && !c.isDone(operation) && !l.hasElder(&c, operation, behind) {
					l.reach(top, at, operation)
				}
			}
		default:
			l.turns = l.turns[:len(l.turns)-1]
		}
	}
	return -1
}

func (l *look) order(at int32) []int {
	var order []int
	for ; l.nodes[at].parent >= 0; at = l.nodes[at].parent {
		order = append(order, l.index[l.nodes[at].operation])
	}
	for i, k := 0, len(order)-1; i < k; i, k = i+1, k-1 {
		order[i], order[k] = order[k], order[i]
	}
	return order
}
