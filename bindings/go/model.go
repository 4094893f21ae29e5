package linchpin

import "context"

// A Model says what an object does when its operations come one at a time.
//
// Its functions must be pure: they must not change what they are given, and answer the same
// whenever they are asked the same. They may be called from several goroutines at once. The answers
// for equal inputs and outputs in equal states are remembered, so that a function may be called
// more rarely than one expects.
type Model struct {
	// Partition cuts a history into parts that are decided on their own, because it is linearizable
	// exactly when each of them is: the keys of a store. Nil: the history is one part. Operations that
	// it leaves out are not looked at: the answer, Ok as well, is about those in the parts.
	Partition      func(history []Operation) [][]Operation
	PartitionEvent func(history []Event) [][]Event

	// Init gives the state at the beginning of each part.
	Init func() interface{}

	// Step says whether an operation with this input and output is possible in a state, and the
	// state after it.
	Step func(state interface{}, input interface{}, output interface{}) (bool, interface{})

	// StepContext is used in place of Step where it is there. Its context ends when the answer is
	// no longer needed: at the timeout, and when another part has been found to be illegal.
	StepContext func(ctx context.Context, state interface{}, input interface{}, output interface{}) (bool, interface{})

	// Equal says whether two states are the same. Nil: == does, see [ShallowEqual].
	Equal func(state1, state2 interface{}) bool

	// Hash gives equal states equal numbers, and different ones, if possible, different numbers.
	// May be nil. With an Equal of your own it saves most of the calls of Equal.
	Hash func(state interface{}) uint64

	// What is shown of operations, states and metadata. May be nil.
	DescribeOperation         func(input interface{}, output interface{}) string
	DescribeState             func(state interface{}) string
	DescribeOperationMetadata func(info interface{}) string

	builtin *builtin // in place of Init and Step
}

// ShallowEqual is the equality of states of a model without one: ==. It panics for types that
// cannot be compared so, such as slices and maps.
func ShallowEqual(state1, state2 interface{}) bool {
	return state1 == state2
}

// A NondeterministicModel is one whose operations may leave one of several states behind. [Model]
// describes the fields that are the same there.
type NondeterministicModel struct {
	Partition      func(history []Operation) [][]Operation
	PartitionEvent func(history []Event) [][]Event

	// Init gives all states that are possible at the beginning.
	Init func() []interface{}

	// Step gives all states that are possible after an operation with this input and output. None:
	// the operation cannot have happened in this state.
	Step        func(state interface{}, input interface{}, output interface{}) []interface{}
	StepContext func(ctx context.Context, state interface{}, input interface{}, output interface{}) []interface{}

	Equal func(state1, state2 interface{}) bool
	Hash  func(state interface{}) uint64

	DescribeOperation         func(input interface{}, output interface{}) string
	DescribeState             func(state interface{}) string
	DescribeOperationMetadata func(info interface{}) string
}

// ToModel makes a [Model] whose states are the sets of states that are possible.
func (nm *NondeterministicModel) ToModel() Model {
	sets := stateSets{*nm}
	if sets.Equal == nil {
		sets.Equal = ShallowEqual
	}
	model := Model{
		Partition:                 nm.Partition,
		PartitionEvent:            nm.PartitionEvent,
		Init:                      func() interface{} { return sets.distinct(nm.Init()) },
		StepContext:               sets.step,
		Equal:                     sets.equal,
		DescribeOperation:         nm.DescribeOperation,
		DescribeOperationMetadata: nm.DescribeOperationMetadata,
		DescribeState:             sets.describe,
	}
	model.Step = func(state, input, output interface{}) (bool, interface{}) {
		return sets.step(context.Background(), state, input, output)
	}
	if nm.Hash != nil {
		model.Hash = sets.hash
	}
	return model
}

// stateSets are the states of a model that ToModel makes: slices of different states.
type stateSets struct {
	NondeterministicModel
}

func (sets *stateSets) contains(set []interface{}, state interface{}) bool {
	for _, member := range set {
		if sets.Equal(member, state) {
			return true
		}
	}
	return false
}

// add puts what is new into a set; hashes are those of its members, if there is a Hash.
func (sets *stateSets) add(set []interface{}, hashes *[]uint64, states []interface{}) []interface{} {
	for _, state := range states {
		if sets.Hash == nil {
			if !sets.contains(set, state) {
				set = append(set, state)
			}
			continue
		}
		hash, known := sets.Hash(state), false
		for i := range set {
			known = known || (*hashes)[i] == hash && sets.Equal(set[i], state)
		}
		if !known {
			set = append(set, state)
			*hashes = append(*hashes, hash)
		}
	}
	return set
}

func (sets *stateSets) distinct(states []interface{}) []interface{} {
	var hashes []uint64
	return sets.add(nil, &hashes, states)
}

func (sets *stateSets) step(ctx context.Context, state, input, output interface{}) (bool, interface{}) {
	var next []interface{}
	var hashes []uint64
	for _, from := range state.([]interface{}) {
		if ctx.Err() != nil {
			return false, nil
		}
		var states []interface{}
		if sets.StepContext != nil {
			states = sets.StepContext(ctx, from, input, output)
		} else {
			states = sets.Step(from, input, output)
		}
		next = sets.add(next, &hashes, states)
	}
	if ctx.Err() != nil {
		return false, nil
	}
	return len(next) > 0, next
}

func (sets *stateSets) equal(state1, state2 interface{}) bool {
	one, two := state1.([]interface{}), state2.([]interface{})
	if len(one) != len(two) {
		return false
	}
	for _, state := range one { // both are of different states
		if !sets.contains(two, state) {
			return false
		}
	}
	return true
}

func (sets *stateSets) hash(state interface{}) uint64 {
	var sum uint64
	for _, member := range state.([]interface{}) {
		sum += mix(sets.Hash(member)) // in any order
	}
	return sum
}

func (sets *stateSets) describe(state interface{}) string {
	text := "{"
	for i, member := range state.([]interface{}) {
		if i > 0 {
			text += ", "
		}
		text += describeState(sets.DescribeState, member)
	}
	return text + "}"
}

// mix spreads the bits of a number over all of it (Steele, Lea and Flood, OOPSLA 2014).
func mix(number uint64) uint64 {
	number += 0x9e3779b97f4a7c15
	number = (number ^ number>>30) * 0xbf58476d1ce4e5b9
	number = (number ^ number>>27) * 0x94d049bb133111eb
	return number ^ number>>31
}

// ask gives the answer of StepContext, or else of Step.
func (m *Model) ask(ctx context.Context, state, input, output interface{}) (bool, interface{}) {
	if m.StepContext != nil {
		return m.StepContext(ctx, state, input, output)
	}
	return m.Step(state, input, output)
}
