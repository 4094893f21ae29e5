package linchpin

// A model in Go knows no pending operations: what may not have happened returns at the end, with an
// output that fits any. Such a late operation returns after all others are called, so it comes
// before none of them. In most orders it is in the way until the end, and a search that lets late
// operations take effect wherever they can meets all combinations of them.
//
// So while another operation is due a configuration is dominated by one with the same operation
// due, the same state, fewer late operations that have taken effect, and the same others
// (docs/internals/search.md, rules 1 and 5). What leads from the one to an order leads there from the other,
// and the late ones that remain come last. They can if they are possible in every state.
//
// That they are is a guess, made of what has been possible in every state so far. It is wrong only
// where, with nothing but late ones left, one of a class that made the difference is not possible.
// Then, if there is no order, the search begins again, and knows that those cannot wait.
type late struct {
	from      uint32 // so many operations return before the first late one
	masks     []uint64
	restarts  int
	refused   []bool // of classes: one was not possible
	missing   []bool // of classes: a configuration without one was gone on with, and
	needed    []bool // one was not possible when only late ones were left
	dominates map[configuration][]uint64
}

const lateCompared = 64 // configurations that differ in late operations only

// isLate says whether an operation comes before no other.
func (l *look) isLate(operation uint32) bool {
	return l.calls[operation].Return >= l.calls[len(l.calls)-1].Call
}

// waits says whether an operation is no read yet: it may write where another state is, and can wait.
func (l *look) waits(due, operation uint32) bool {
	return due < l.late.from && l.isLate(operation)
}

// prepareLate is called once it is known in which order operations return, and which run together.
func (l *look) prepareLate() {
	o := &l.late
	o.from = uint32(len(l.byReturn))
	for o.from > 0 && l.isLate(l.byReturn[o.from-1]) {
		o.from--
	}
	o.masks = make([]uint64, o.from)
	for rank := range o.masks {
		for _, operation := range l.running[rank] {
			if l.isLate(operation) {
				o.masks[rank] |= 1 << l.slots[operation]
			}
		}
	}
	o.refused = make([]bool, len(l.writes))
	o.begin()
}

func (o *late) begin() {
	o.missing, o.needed = make([]bool, len(o.refused)), make([]bool, len(o.refused))
	o.dominates = make(map[configuration][]uint64)
}

// canWait says whether all late operations of a mask are taken for possible later.
func (l *look) canWait(due uint32, mask uint64) bool {
	for _, operation := range l.running[due] {
		if mask>>l.slots[operation]&1 != 0 && l.late.refused[l.classes[operation]] {
			return false
		}
	}
	return true
}

// wait notes that they are.
func (l *look) wait(due uint32, mask uint64) {
	for _, operation := range l.running[due] {
		if mask>>l.slots[operation]&1 != 0 {
			l.late.missing[l.classes[operation]] = true
		}
	}
}

// isDominated says whether a new node is, by one that was met before.
func (l *look) isDominated(n *node) bool {
	o := &l.late
	if n.due >= o.from || o.masks[n.due] == 0 {
		return false
	}
	mask := n.mask & o.masks[n.due]
	key := configuration{n.mask &^ mask, n.alike, n.due}
	known := o.dominates[key]
	for _, other := range known {
		if other&^mask == 0 && l.canWait(n.due, mask&^other) {
			l.wait(n.due, mask&^other)
			return true
		}
	}
	for i, other := range known {
		if mask&^other == 0 {
			known[i] = mask
			return false
		}
	}
	if len(known) < lateCompared {
		o.dominates[key] = append(known, mask)
	}
	return false
}

// isWrong says whether one that waited may not have been possible later.
func (o *late) isWrong() bool {
	for class := range o.missing {
		if o.missing[class] && o.needed[class] {
			return true
		}
	}
	return false
}

const lateMany = 16

// lateOf gives the operations that come before no other.
func lateOf(operations []Operation) (late []int) {
	last := operations[0].Call
	for i := range operations {
		if operations[i].Call > last {
			last = operations[i].Call
		}
	}
	for i := range operations {
		if operations[i].Return >= last {
			late = append(late, i)
		}
	}
	return late
}

// followed puts the late operations that an order lacks behind it, in the order of the list; where the model
// does not allow that there is no whole order, and the rest are the late ones that are not like those it refused.
func followed(e *engine, classes []uint32, order, late []int) (whole, rest []int) {
	defer func() {
		if value := recover(); value != nil {
			e.failed.set(value)
		}
	}()
	has := make([]bool, len(classes))
	state := e.init()
	for _, operation := range order {
		has[operation] = true
		state = e.step(state, classes[operation])
	}
	refused := make(map[uint32]bool)
	for _, operation := range late {
		if has[operation] {
			continue
		}
		if next := e.step(state, classes[operation]); next != illegal {
			state = next
			order = append(order, operation)
		} else {
			refused[classes[operation]] = true
		}
	}
	if len(refused) == 0 {
		return order, nil
	}
	for _, operation := range late {
		if !refused[classes[operation]] {
			rest = append(rest, operation)
		}
	}
	return nil, rest
}
