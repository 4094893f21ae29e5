package linchpin

// Hash tables of numbers for the search in Go, which spends most of its time in them: open
// addressing, half full at most.

// stepTable has what is known of steps: from a key, never 0, to a number.
type stepTable struct {
	keys   []uint64
	values []uint32
	count  int
}

const firstSlots = 64

func newStepTable() *stepTable {
	return &stepTable{keys: make([]uint64, firstSlots), values: make([]uint32, firstSlots)}
}

// slot gives where a key is, or where it belongs.
func (t *stepTable) slot(key uint64) int {
	last := uint64(len(t.keys) - 1)
	at := mix(key) & last
	for t.keys[at] != 0 && t.keys[at] != key {
		at = (at + 1) & last
	}
	return int(at)
}

func (t *stepTable) find(key uint64) (uint32, bool) {
	at := t.slot(key)
	return t.values[at], t.keys[at] == key
}

// add notes the value of a new key.
func (t *stepTable) add(key uint64, value uint32) {
	if 2*(t.count+1) > len(t.keys) {
		larger := stepTable{keys: make([]uint64, 2*len(t.keys)), values: make([]uint32, 2*len(t.keys))}
		for i, known := range t.keys {
			if known != 0 {
				at := larger.slot(known)
				larger.keys[at], larger.values[at] = known, t.values[i]
			}
		}
		t.keys, t.values = larger.keys, larger.values
	}
	at := t.slot(key)
	t.keys[at], t.values[at] = key, value
	t.count++
}

// nodeTable finds nodes by their configurations, as far as these are not alike.
type nodeTable struct {
	places []int32 // of nodes, from 1; 0: free
	count  int
}

func newNodeTable() *nodeTable {
	return &nodeTable{places: make([]int32, firstSlots)}
}

func (t *nodeTable) slot(nodes []node, n *node) uint64 {
	last := uint64(len(t.places) - 1)
	at := mix(n.mask^mix(uint64(n.alike)<<32|uint64(n.due))) & last
	for t.places[at] != 0 && !nodes[t.places[at]-1].isAlike(n) {
		at = (at + 1) & last
	}
	return at
}

func (n *node) isAlike(other *node) bool {
	return n.mask == other.mask && n.alike == other.alike && n.due == other.due
}

// add notes a node; false: there was one like it.
func (t *nodeTable) add(nodes []node, place int32) bool {
	if 2*(t.count+1) > len(t.places) {
		known := t.places
		t.places = make([]int32, 2*len(known))
		for _, one := range known {
			if one != 0 {
				t.places[t.slot(nodes, &nodes[one-1])] = one
			}
		}
	}
	at := t.slot(nodes, &nodes[place])
	if t.places[at] != 0 {
		return false
	}
	t.places[at] = place + 1
	t.count++
	return true
}
