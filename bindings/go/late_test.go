package linchpin

import (
	"math/rand"
	"testing"
)

// randomLate has operations that return last, of which some were answered and some fit anything: of a
// register, 0 reads, 1 writes, 2 compares and swaps.
func randomLate(random *rand.Rand) []Operation {
	var history []Operation
	register, clients := 0, make([]int64, 2+random.Intn(2))
	count := 3 + random.Intn(6)
	for i := 0; i < count; i++ {
		client := random.Intn(len(clients))
		call := clients[client] + int64(random.Intn(3))
		in := [3]int{random.Intn(3), random.Intn(3), random.Intn(3)}
		operation := Operation{Input: in, Output: -1, Call: call, Return: call + int64(random.Intn(8))}
		happens := true
		if random.Intn(3) == 0 {
			operation.Return = 1000 - int64(random.Intn(count))
			happens = random.Intn(2) == 0
		}
		switch {
		case in[0] == 0 && random.Intn(4) != 0:
			operation.Output = register
		case in[0] == 1 && happens:
			register = in[1]
		case in[0] == 2 && happens && register == in[1]:
			operation.Output, register = 1, in[2]
		case in[0] == 2 && happens:
			operation.Output = 0
		}
		clients[client] = operation.Return + 1
		if operation.Return > 900 {
			clients[client] = call + 1 // it calls again, as another client
		}
		history = append(history, operation)
	}
	if random.Intn(2) == 0 {
		one := &history[random.Intn(count)]
		if one.Output != -1 {
			one.Output = random.Intn(2)
		}
	}
	return history
}

// Operations that return last are put off, and that they are possible then is a guess. Here it
// is wrong now and then, and verdicts are those of the definition.
func TestLateOperationsAreDecidedByTheDefinition(t *testing.T) {
	verdicts, restarts := map[bool]int{}, 0
	for seed := int64(0); seed < 6000; seed++ {
		history := randomLate(rand.New(rand.NewSource(seed)))
		expected := byDefinition(&registerModel, history)
		verdicts[expected]++
		l := newLook(newEngine(&registerModel, nil, newClasses(0), &failure{}), history, func() bool { return false })
		result := lookUndecided
		for result == lookUndecided {
			result = l.more(5) // so that it stops anywhere
		}
		if (result == Ok) != expected {
			t.Fatalf("seed %d: expected %v, found %v: %+v", seed, expected, result, history)
		}
		if result == Ok {
			checkOrders(t, &registerModel, history, expected)
		}
		if l.late.restarts > 0 {
			restarts++
		}
	}
	if verdicts[true] < 1000 || verdicts[false] < 1000 || restarts < 20 {
		t.Fatalf("expected some of everything, found %v, %d restarts", verdicts, restarts)
	}
}

// Many operations that return last are pending to the library at first; what is missing follows in the end.
func TestManyLateOperationsAreDecidedByTheLibrary(t *testing.T) {
	counts := map[string]int{}
	for seed := int64(0); seed < 300; seed++ {
		random := rand.New(rand.NewSource(seed))
		history := randomLate(random)
		if random.Intn(2) == 0 { // now one is in the way
			history = append(history, Operation{Input: [3]int{0, 0, 0}, Output: random.Intn(3), Call: 30, Return: 2000})
		}
		expected := byDefinition(&registerModel, history)
		task := task{model: registerModel, operations: history, verbose: true}
		task.parts, task.results = partsOfOperations(&task.model, history), make([]CheckResult, 1)
		task.info.orders = make([][][]int, 1)
		late := lateOf(history)
		task.decideWithin(0, late)
		switch {
		case task.results[0] == lookUndecided && !expected:
			counts["left, of what has no order"]++
		case task.results[0] == lookUndecided:
			counts["left, of what has one"]++
		case (task.results[0] == Ok) != expected:
			t.Fatalf("seed %d: expected %v, found %v: %+v", seed, expected, task.results[0], history)
		case expected && len(task.info.orders[0][0]) != len(history):
			t.Fatalf("seed %d: expected an order of all, found %v", seed, task.info.orders[0])
		default:
			counts[string(task.results[0])]++
		}
	}
	if counts["Ok"] < 20 || counts["Illegal"] < 20 || counts["left, of what has no order"] < 3 || counts["left, of what has one"] < 3 {
		t.Fatalf("expected some of everything, found %v", counts)
	}
	history := make([]Operation, 100)
	for i := range history { // of which a look has no room
		history[i] = Operation{Input: [3]int{1, i, 0}, Output: -1, Call: int64(i), Return: 1000}
	}
	for _, read := range []int{99, 100} {
		list := append(history, Operation{Input: [3]int{0, 0, 0}, Output: read, Call: 200, Return: 300})
		if found := CheckOperations(registerModel, list); found != (read == 99) {
			t.Fatalf("read %d: found %v", read, found)
		}
	}
}
