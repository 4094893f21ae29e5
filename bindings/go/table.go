package linchpin

import "hash/maphash"

// Hash tables of numbers for the search in Go, which spends most of its time in them: open
// addressing, half full at most.

// stepTable has what is known of steps: from a key, never 0, to a number.
type stepTable struct {
	keys   []uint64
	values []uint32
	count  int
}

const firstSlots = 16

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

// textTable finds the numbers, from 1, of the members of a list that are texts.
type textTable struct {
	hash    maphash.Hash
	numbers []uint32 // 0: free
	hashes  []uint64
	count   int
}

func newTextTable() *textTable {
	return &textTable{numbers: make([]uint32, firstSlots), hashes: make([]uint64, firstSlots)}
}

// find gives the place of a text's number: 0 for a new one, which its caller must set.
func (t *textTable) find(members []interface{}, text string) *uint32 {
	if 2*(t.count+1) > len(t.numbers) {
		t.grow()
	}
	t.hash.Reset()
	t.hash.WriteString(text)
	hash, last := t.hash.Sum64(), uint64(len(t.numbers)-1)
	at := hash & last
	for ; t.numbers[at] != 0; at = (at + 1) & last {
		if t.hashes[at] == hash && members[t.numbers[at]-1] == text {
			return &t.numbers[at]
		}
	}
	t.hashes[at] = hash
	t.count++
	return &t.numbers[at]
}

func (t *textTable) grow() {
	numbers, hashes := t.numbers, t.hashes
	t.numbers, t.hashes = make([]uint32, 2*len(numbers)), make([]uint64, 2*len(numbers))
	last := uint64(len(t.numbers) - 1)
	for i, number := range numbers {
		if number == 0 {
			continue
		}
		at := hashes[i] & last
		for t.numbers[at] != 0 {
			at = (at + 1) & last
		}
		t.numbers[at], t.hashes[at] = number, hashes[i]
	}
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
